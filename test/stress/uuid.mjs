/** @import { Random } from './random.mjs' */

/** Possible first digits of the fourth group, of which two bits are fixed. */
const VARIANTS = ['8', '9', 'a', 'b']

/**
 * Creates a uuid that contains a time (RFC 9562, 5.7), like current packages.
 *
 * @param {Random} random
 * @param {number} time Milliseconds since 1970.
 */
export const uuidV7 = (random, time) => {
  const stamp = time.toString(16).padStart(12, '0')
  return `${stamp.slice(0, 8)}-${stamp.slice(8)}-7${random.hex(3)}-${random.pick(VARIANTS)}${random.hex(3)}-${random.hex(12)}`
}

/**
 * Creates a random uuid (RFC 9562, 5.4), like old packages and most servers.
 *
 * @param {Random} random
 */
export const uuidV4 = (random) =>
  `${random.hex(8)}-${random.hex(4)}-4${random.hex(3)}-${random.pick(VARIANTS)}${random.hex(3)}-${random.hex(12)}`
