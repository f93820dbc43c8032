import { sha1 } from './sha1.ts'

/** A fraction that a function answers by itself is allocated wherever the call is not inlined. */
const position = new Float64Array(1)

/**
 * Where an identifier falls in a flag: the first 60 bits of SHA-1 over the largest 60-bit number, from 0 to 1, both possible.
 *
 * Two words give the same double as parsing 15 hex digits: 60 bits do not fit a double, the numerator rounds once and the
 * divisor rounds to exactly 2^60.
 *
 * @param prefix The flag's key and a dot; `holdout-` for holdouts.
 * @param salt Empty for the rollout and for holdouts, `variant` for the variant.
 * @returns The one fraction; overwritten by the next call.
 */
export const bucket = (prefix: string, id: string, salt: '' | 'variant'): Float64Array => {
  const digest = sha1(prefix, id, salt)
  position[0] = ((digest[0]! >>> 0) * 0x10000000 + (digest[1]! >>> 4)) / 2 ** 60
  return position
}
