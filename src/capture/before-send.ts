import { serialise } from './serialise.ts'
import { isText } from './is-text.ts'

/** An event on its way into the queue, as `before_send` sees it. */
export interface OutgoingEvent {
  uuid: string
  event: string
  distinct_id: string
  timestamp: string
  properties: Record<string, unknown>
}

/**
 * Looks at an event before it is queued. The answer takes the event's place; null or undefined drops it. A hook that throws, or answers
 * anything but an event (a promise), drops it too: it may have been the one that removes private data. At the start of a page whose stored
 * identity turns up late an event is made, and shown, once more: the later answer counts.
 */
export type BeforeSend = (event: OutgoingEvent) => OutgoingEvent | null | undefined

/**
 * Runs the hooks in order on a copy, as JSON has it: what they edit is nobody else's. Undefined when one of them dropped the event. The uuid
 * and the timestamp stay as they were: an event that lost its uuid would be counted at each delivery. The copy of the distinct id among the
 * properties follows the event's own, unless a hook has changed it, too.
 */
export const runBeforeSend = (
  hooks: readonly BeforeSend[],
  event: OutgoingEvent,
  onError: (error: unknown) => void,
): OutgoingEvent | undefined => {
  if (!hooks.length) return event
  const { uuid, timestamp, distinct_id } = event
  let current = JSON.parse(serialise(event)) as OutgoingEvent
  for (const hook of hooks) {
    try {
      const next = hook(current)
      if (next === null || next === undefined) return undefined
      if (!isText(next.event) || !isText(next.distinct_id)) {
        // A promise that rejects, and that nobody looks at, would end a server's process.
        Promise.resolve(next).catch(onError)
        throw new TypeError('the answer is no event')
      }
      current = { ...next, uuid, timestamp, properties: { ...next.properties } }
    } catch (error) {
      onError(error)
      return undefined
    }
  }
  if (current.properties.distinct_id === distinct_id) current.properties.distinct_id = current.distinct_id
  return current
}
