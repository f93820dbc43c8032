import { boundJson } from './bound-json.ts'
import type { EventEnvelope } from './event-finisher.ts'
import { serialise } from './serialise.ts'

/**
 * Creates a serialiser that reuses the JSON of the shared properties while they stay the same objects. That takes a tenth of the time.
 *
 * @returns A function that returns the JSON of an event with its own properties (at least one) and the shared ones. Later shared objects
 *   win. Undefined when an own property has the name of a shared one or is a `toJSON`, or when any property is beyond a bound: the caller
 *   must then serialise the whole event.
 */
export const createEventSerialiser = (): ((
  envelope: EventEnvelope,
  properties: object,
  shared: readonly (object | undefined)[],
) => string | undefined) => {
  let cachedShared: readonly (object | undefined)[] = []
  let sharedProperties: object
  /** Undefined: beyond a bound. */
  let sharedJson: string | undefined
  return (envelope, properties, shared) => {
    if (shared.some((properties, index) => properties !== cachedShared[index])) {
      // Without a prototype, which may be frozen, or may have names of the page or of a property such as `constructor`.
      sharedProperties = Object.assign(Object.create(null), ...shared)
      const json = serialise(sharedProperties)
      sharedJson = json === '{}' ? '' : `,${json.slice(1, -1)}`
      const sharedEvent = serialise({ ...envelope, properties: sharedProperties }, true)
      if (boundJson(sharedEvent) !== sharedEvent) sharedJson = undefined
      cachedShared = shared
    }
    if (sharedJson === undefined) return undefined
    // The `toJSON` method of an object can return any JSON.
    for (const key in properties) if (key in sharedProperties || key === 'toJSON') return undefined
    const json = serialise({ ...envelope, properties }, true)
    return boundJson(json) === json ? `${json.slice(0, -2)}${sharedJson}}}` : undefined
  }
}
