/** The median, which is robust on a noisy machine. */
export const median = (values) => percentile(values, 0.5)

/** The value below which the given share (0 to 1) of the values lies. */
export const percentile = (values, share) => {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))]
}

/** Creates a generator of pseudorandom numbers from 0 to below 1 from an integer seed (mulberry32). */
export const seededRandom = (seed) => {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

/** Returns the values in random order (Fisher-Yates shuffle). */
export const shuffled = (values, random) => {
  const result = [...values]
  for (let last = result.length - 1; last > 0; last--) {
    const at = Math.floor(random() * (last + 1))
    ;[result[last], result[at]] = [result[at], result[last]]
  }
  return result
}
