/** @import { Random } from './random.mjs' */

/** The first digit of the fourth group: two bits are given. */
const VARIANTS = ['8', '9', 'a', 'b']

/**
 * A uuid that carries a time (RFC 9562, 5.7), as current packages make them.
 *
 * @param {Random} random
 * @param {number} time Milliseconds since 1970.
 */
export const uuidV7 = (random, time) => {
  const stamp = time.toString(16).padStart(12, '0')
  return `${stamp.slice(0, 8)}-${stamp.slice(8)}-7${random.hex(3)}-${random.pick(VARIANTS)}${random.hex(3)}-${random.hex(12)}`
}

/**
 * A uuid without a time (RFC 9562, 5.4), as old packages and most servers make them.
 *
 * @param {Random} random
 */
export const uuidV4 = (random) =>
  `${random.hex(8)}-${random.hex(4)}-4${random.hex(3)}-${random.pick(VARIANTS)}${random.hex(3)}-${random.hex(12)}`
