import type { JsonObject } from '../wire/json.ts'
import { serialise } from './serialise.ts'

/** A copy of properties as JSON can carry it: what is kept is written again with every later change, which must not fail. */
export const plainCopy = (properties: unknown): JsonObject => {
  const copy: unknown = JSON.parse(serialise(properties) ?? '0')
  return typeof copy === 'object' ? { ...(copy as JsonObject) } : {}
}
