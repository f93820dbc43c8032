/** The middle value: what a noisy machine can be quoted by. */
export const median = (values) => percentile(values, 0.5)

/** The value below which the given share (0 to 1) of the values lies. */
export const percentile = (values, share) => {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))]
}

/** Numbers from 0 up to and without 1 that are the same for the same seed, a whole number: mulberry32. */
export const seededRandom = (seed) => {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

/** The same values in an order that is as likely as any other (Fisher and Yates). */
export const shuffled = (values, random) => {
  const mixed = [...values]
  for (let last = mixed.length - 1; last > 0; last--) {
    const at = Math.floor(random() * (last + 1))
    ;[mixed[last], mixed[at]] = [mixed[at], mixed[last]]
  }
  return mixed
}
