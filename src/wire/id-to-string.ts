import { isNonBlankString } from './is-non-blank-string.ts'

/**
 * Converts an id of the agent's caller to a string. Accepts a non-blank string, or a finite number, such as a database id. Undefined for any
 * other value.
 *
 * Unlike `sanitizeId`, which reads JSON from the network, it accepts fractions and numbers beyond 2^53: the caller's number is exact, and as
 * a string no JSON parser of a later reader rounds it.
 */
export const idToString = (id: unknown): string | undefined => {
  if (isNonBlankString(id)) return id
  return Number.isFinite(id) ? String(id) : undefined
}
