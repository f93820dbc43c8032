import type { Json, JsonObject } from '../../wire/json.ts'

/** Values that are nested deeper are serialized, to see whether that is possible. */
const SAFE_DEPTH = 500

/** Estimated bytes of a number, and of a value beside its text. */
const VALUE_BYTES = 8

/**
 * Estimates the size of a value as JSON, many times faster than serializing it. Throws `RangeError` for a value that is nested
 * too deeply for `JSON.stringify`, because it cannot be stored.
 */
export const estimateBytes = (value: Json): number => {
  let bytes = 0
  let depth = 0
  let level: Json[] = [value]
  while (level.length > 0) {
    if (depth === SAFE_DEPTH) JSON.stringify(value)
    const nextLevel: Json[] = []
    for (const item of level) {
      bytes += VALUE_BYTES
      if (typeof item === 'string') bytes += item.length
      else if (typeof item === 'object' && item !== null) {
        const children: JsonObject = item as JsonObject
        for (const key in children) {
          const child = children[key]!
          bytes += key.length
          if (typeof child === 'object' && child !== null) nextLevel.push(child)
          else bytes += VALUE_BYTES + (typeof child === 'string' ? child.length : 0)
        }
      }
    }
    level = nextLevel
    depth += 1
  }
  return bytes
}
