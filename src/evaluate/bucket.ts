import { sha1 } from './sha1.ts'

/** All calls share this array. Otherwise the engine allocates the returned double wherever it does not inline the call. */
const position = new Float64Array(1)

/**
 * Computes the position of an identifier in a flag: the first 60 bits of SHA-1 divided by the largest 60-bit number, 0 to 1 inclusive.
 *
 * Two words give the same double as parsing 15 hex digits. 60 bits do not fit a double, so the numerator rounds once and the
 * divisor rounds to exactly 2^60.
 *
 * @param prefix The flag's key and a dot; `holdout-` for holdouts.
 * @param salt Empty for the rollout and for holdouts, `variant` for the variant.
 * @returns An array with the position; the next call overwrites it.
 */
export const bucket = (prefix: string, id: string, salt: '' | 'variant'): Float64Array => {
  const digest = sha1(prefix, id, salt)
  position[0] = ((digest[0]! >>> 0) * 0x10000000 + (digest[1]! >>> 4)) / 2 ** 60
  return position
}
