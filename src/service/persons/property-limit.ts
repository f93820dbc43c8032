import type { JsonObject } from '../../wire/json.ts'

/**
 * Most bytes of JSON that the properties of one person or group may have (1 MiB). They are read and written whole with
 * every change and held in memory meanwhile: without a bound, a few small compressed requests make a person that no store
 * can take, and everything behind it waits for ever.
 */
export const MOST_PROPERTY_BYTES: number = 1024 * 1024

/** At least as many bytes as the properties have; measuring all of them anew at every change would cost more than the change. */
const bounds = new WeakMap<JsonObject, number>()

/**
 * What properties become: `after`, or `before` where `after` would be larger than `MOST_PROPERTY_BYTES`. Properties that
 * are too large already may still shrink.
 *
 * @param added what was put into `before`: its bytes bound the growth.
 */
export function withinLimit(before: JsonObject, after: JsonObject, added: readonly JsonObject[]): JsonObject {
  if (after === before) return before
  const most = added.reduce((sum, part) => sum + boundOf(part), boundOf(before))
  if (most <= MOST_PROPERTY_BYTES) {
    bounds.set(after, most)
    return after
  }
  const bytes = bytesOf(after)
  if (bytes > MOST_PROPERTY_BYTES && bytes >= bytesOf(before)) return before
  bounds.set(after, bytes)
  return after
}

function boundOf(properties: JsonObject): number {
  const known = bounds.get(properties)
  if (known !== undefined) return known
  const bytes = bytesOf(properties)
  bounds.set(properties, bytes)
  return bytes
}

function bytesOf(properties: JsonObject): number {
  return Buffer.byteLength(JSON.stringify(properties))
}
