import { callHook, isRunning } from '../lib/call-hook.ts'
import { idToString } from '../wire/id-to-string.ts'
import { isNonBlankString } from '../wire/is-non-blank-string.ts'
import { copyByJson } from './serialise.ts'

/** A captured event as `before_send` gets it, before it is queued. */
export interface OutgoingEvent {
  uuid: string
  event: string
  distinct_id: string
  timestamp: string
  properties: Record<string, unknown>
}

/**
 * Changes or drops an event before it is queued. The returned event is queued instead; null or undefined drops the event. A hook that
 * throws, or that returns anything but an event (such as a promise), drops the event too: its task may be to remove private data. A page
 * that finds a newer stored identity at its start builds its first events again and calls the hook again; the later result is used.
 *
 * A hook may capture: it is not called for what it captures itself, but the other hooks are.
 */
export type BeforeSend = (event: OutgoingEvent) => OutgoingEvent | null | undefined

/**
 * Runs the hooks in order on a JSON copy, so that they cannot change the caller's objects. Undefined when a hook dropped the event. Hooks
 * cannot change the uuid and the timestamp: with another uuid, an event would be stored again at each delivery. `properties.distinct_id`
 * gets the value of the event's `distinct_id`, unless a hook has changed it too.
 */
export const runBeforeSend = (
  hooks: readonly BeforeSend[],
  event: OutgoingEvent,
  onError: (error: unknown) => void,
): OutgoingEvent | undefined => {
  if (!hooks.length) return event
  let currentEvent = copyByJson(event)
  for (const hook of hooks) {
    if (isRunning(hook)) continue
    try {
      const hookResult = callHook(hook, () => hook(currentEvent))
      if (hookResult === null || hookResult === undefined) return undefined
      const distinctId = idToString(hookResult.distinct_id)
      if (!isNonBlankString(hookResult.event) || distinctId === undefined) {
        // An unhandled rejection of a returned promise would end a Node process.
        Promise.resolve(hookResult).catch(onError)
        throw new TypeError('not an event')
      }
      currentEvent = {
        ...hookResult,
        uuid: event.uuid,
        distinct_id: distinctId,
        timestamp: event.timestamp,
        properties: { ...hookResult.properties },
      }
    } catch (error) {
      onError(error)
      return undefined
    }
  }
  if (currentEvent.properties.distinct_id === event.distinct_id)
    currentEvent.properties.distinct_id = currentEvent.distinct_id
  return currentEvent
}
