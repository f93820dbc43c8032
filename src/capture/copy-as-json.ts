import type { JsonObject } from '../wire/json.ts'
import { serialise } from './serialise.ts'

/**
 * Returns what remains of properties after conversion to JSON and back; empty for anything but an object. Stored properties are written
 * often, and JSON is sure to be writable.
 */
export const copyAsJson = (properties: unknown): JsonObject => {
  const copy: unknown = JSON.parse(serialise(properties) ?? '0')
  return typeof copy === 'object' ? { ...(copy as JsonObject) } : {}
}
