/**
 * Creates a generator of pseudorandom numbers from a seed (mulberry32, in the public domain, by Tommy Ettinger).
 *
 * @param {number} seed Any integer.
 */
export const createRandom = (seed) => {
  let state = seed >>> 0
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  /**
   * @param {number} min Inclusive.
   * @param {number} max Inclusive.
   */
  const int = (min, max) => min + Math.floor(next() * (max - min + 1))
  return {
    int,
    /** @param {number} probability */
    chance: (probability) => next() < probability,
    /**
     * @template Item
     * @param {readonly Item[]} items At least one.
     * @returns {Item}
     */
    pick: (items) => items[int(0, items.length - 1)],
    /**
     * @template Item
     * @param {readonly Item[]} items
     * @returns {Item[]} The same items in random order.
     */
    shuffled: (items) => {
      const result = [...items]
      for (let last = result.length - 1; last > 0; last--) {
        const other = int(0, last)
        ;[result[last], result[other]] = [result[other], result[last]]
      }
      return result
    },
    /** @param {number} digits Number of hexadecimal digits. */
    hex: (digits) => Array.from({ length: digits }, () => int(0, 15).toString(16)).join(''),
  }
}

/** @typedef {ReturnType<typeof createRandom>} Random */
