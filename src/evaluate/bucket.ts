import { sha1 } from './sha1.ts'

/**
 * Where an identifier falls in a flag: the first 60 bits of SHA-1 over the largest 60-bit number, from 0 to 1, both possible.
 *
 * Two words give the same double as parsing 15 hex digits: 60 bits do not fit a double, the numerator rounds once and the
 * divisor rounds to exactly 2^60.
 *
 * @param prefix The flag's key and a dot; `holdout-` for holdouts.
 * @param salt Empty for the rollout and for holdouts, `variant` for the variant.
 */
export const bucket = (prefix: string, id: string, salt: '' | 'variant'): number => {
  const digest = sha1(prefix, id, salt)
  return ((digest[0]! >>> 0) * 0x10000000 + (digest[1]! >>> 4)) / 2 ** 60
}
