import type { OutgoingEvent } from './before-send.ts'
import { serialise } from './serialise.ts'

/**
 * Writes events whose properties are mostly those of the event before: what they share is kept as text, which takes a tenth of the time.
 *
 * @returns Takes an event with its own properties (at least one), and what it shares, the stronger the later; answers its JSON, or undefined
 *   when one of its own stands in the place of a shared one.
 */
export const createEventJson = (): ((
  event: OutgoingEvent,
  shared: readonly (object | undefined)[],
) => string | undefined) => {
  let known: readonly (object | undefined)[] = []
  let properties: object
  let text: string
  return (event, shared) => {
    if (shared.some((one, at) => one !== known[at])) {
      properties = Object.assign({}, ...shared)
      const json = serialise(properties)
      text = json === '{}' ? '' : `,${json.slice(1, -1)}`
      known = shared
    }
    // With a method of that name nothing is sure about an object's JSON.
    for (const key in event.properties) if (key in properties || key === 'toJSON') return undefined
    return `${serialise(event).slice(0, -2)}${text}}}`
  }
}
