import { isNonEmptyString } from './is-non-empty-string.ts'
import { serialise } from './serialise.ts'

/** A captured event as `before_send` gets it, before it is queued. */
export interface OutgoingEvent {
  uuid: string
  event: string
  distinct_id: string
  timestamp: string
  properties: Record<string, unknown>
}

/**
 * Changes or drops an event before it is queued. The returned event is queued instead; null or undefined drops it. A hook that throws, or
 * that returns anything but an event (a promise), drops it too: the hook may be the one that removes private data. A page that finds a
 * newer stored identity at its start builds its first events again and calls the hook again; the later result counts.
 */
export type BeforeSend = (event: OutgoingEvent) => OutgoingEvent | null | undefined

/**
 * Runs the hooks in order on a JSON copy, so that they cannot change the caller's objects. Undefined when a hook dropped the event. Hooks
 * cannot change the uuid and the timestamp: without its uuid, an event would be counted at each delivery. The copy of the distinct id in
 * the properties follows the event's own, unless a hook has changed the copy too.
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
      if (!isNonEmptyString(next.event) || !isNonEmptyString(next.distinct_id)) {
        // An unhandled rejection of a returned promise would end a Node process.
        Promise.resolve(next).catch(onError)
        throw new TypeError('must return an event or null')
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
