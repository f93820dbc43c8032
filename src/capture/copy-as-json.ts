import type { JsonObject } from '../wire/json.ts'
import { serialise } from './serialise.ts'

/**
 * Copies properties as JSON can carry them; empty for anything but an object. Stored properties are written often, and a write must not
 * fail.
 */
export const copyAsJson = (properties: unknown): JsonObject => {
  const copy: unknown = JSON.parse(serialise(properties) ?? '0')
  return typeof copy === 'object' ? { ...(copy as JsonObject) } : {}
}
