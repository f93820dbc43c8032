import type { OutgoingEvent } from './before-send.ts'
import { serialise } from './serialise.ts'

/**
 * Creates a serialiser that keeps the JSON of shared properties from the event before. That takes a tenth of the time.
 *
 * @returns A function of an event with its own properties (at least one) and of the shared ones, where later objects win. It returns the
 *   event's JSON, or undefined when an own property has the name of a shared one.
 */
export const createEventSerialiser = (): ((
  event: OutgoingEvent,
  shared: readonly (object | undefined)[],
) => string | undefined) => {
  let cachedShared: readonly (object | undefined)[] = []
  let sharedProperties: object
  let sharedJson: string
  return (event, shared) => {
    if (shared.some((properties, index) => properties !== cachedShared[index])) {
      sharedProperties = Object.assign({}, ...shared)
      const json = serialise(sharedProperties)
      sharedJson = json === '{}' ? '' : `,${json.slice(1, -1)}`
      cachedShared = shared
    }
    // An object with a `toJSON` can turn into any JSON.
    for (const key in event.properties) if (key in sharedProperties || key === 'toJSON') return undefined
    return `${serialise(event).slice(0, -2)}${sharedJson}}}`
  }
}
