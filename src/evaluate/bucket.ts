import { sha1 } from './sha1.ts'
import { spendHashWork } from './work-budget.ts'

/** Longer ids take work from the budget of the request: an id may have a million characters. */
const MAX_FREE_LENGTH = 512

/** All calls share this array. Otherwise the engine allocates the returned double wherever it does not inline the call. */
const position = new Float64Array(1)

/**
 * Computes the position of an identifier in a flag: the first 60 bits of SHA-1 divided by the largest 60-bit number, 0 to 1 inclusive.
 *
 * Two words give the same double as parsing 15 hex digits. 60 bits do not fit a double, so the numerator rounds once and the
 * divisor rounds to exactly 2^60.
 *
 * Throws what `isWorkExceeded` recognises when a long id takes more work than is left.
 *
 * @param prefix The flag's key and a dot; `holdout-` for holdouts.
 * @param salt Empty for the rollout and for holdouts, `variant` for the variant.
 * @returns An array with the position; the next call overwrites it.
 */
export const bucket = (prefix: string, id: string, salt: '' | 'variant'): Float64Array => {
  if (id.length > MAX_FREE_LENGTH) spendHashWork(id.length)
  const digest = sha1(prefix, id, salt)
  position[0] = ((digest[0]! >>> 0) * 0x10000000 + (digest[1]! >>> 4)) / 2 ** 60
  return position
}
