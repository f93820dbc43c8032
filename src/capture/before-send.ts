/** An event on its way into the queue, as `before_send` sees it. */
export interface OutgoingEvent {
  uuid: string
  event: string
  distinct_id: string
  timestamp: string
  properties: Record<string, unknown>
}

/**
 * Looks at an event before it is queued. The answer takes the event's place; null or undefined drops it. A hook that throws drops it too:
 * it may have been the one that removes private data.
 */
export type BeforeSend = (event: OutgoingEvent) => OutgoingEvent | null | undefined

/**
 * Runs the hooks in order; undefined when one of them dropped the event. What a hook leaves out of the envelope stays as it was: an event
 * that lost its uuid would be counted at each delivery.
 */
export function runBeforeSend(
  hooks: readonly BeforeSend[],
  event: OutgoingEvent,
  onError: (error: unknown) => void,
): OutgoingEvent | undefined {
  let current = event
  for (const hook of hooks) {
    try {
      const next = hook(current)
      if (!next) return undefined
      current = Object.assign({}, current, next)
      current.properties = { ...current.properties }
    } catch (error) {
      onError(error)
      return undefined
    }
  }
  return current
}
