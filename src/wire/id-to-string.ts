import { isNonBlankString } from './is-non-blank-string.ts'

/** An id as programs have it: a string, or a number of a database. Agents send its decimal string. */
export type Id = string | number | bigint

/**
 * Converts an id of the agent's caller to a string. Accepts a non-blank string, a finite number, and a BigInt. Undefined for any other value.
 *
 * Unlike `sanitizeId`, which reads JSON from the network, it accepts fractions and numbers beyond 2^53: the caller's number is exact, and as
 * a string no JSON parser of a later reader rounds it.
 */
export const idToString = (id: unknown): string | undefined => {
  if (isNonBlankString(id)) return id
  return typeof id === 'bigint' || Number.isFinite(id) ? String(id) : undefined
}
