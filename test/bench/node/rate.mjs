/** The last events may wait for a timer of seconds, which says nothing of how fast the others went. */
const SHARE = 0.99

/**
 * Events per second until nearly all that came had come.
 *
 * @param {readonly (readonly [at: number, delivered: number])[]} arrivals Milliseconds, and how many different events had come by then.
 * @param {{ startedAt: number, before: number }} start When the program began, and how many had come before.
 */
export const deliveryRate = (arrivals, { startedAt, before }) => {
  const delivered = (arrivals.at(-1)?.[1] ?? 0) - before
  const [at, most] = arrivals.find(([, count]) => count > before && count - before >= delivered * SHARE) ?? [
    Infinity,
    before,
  ]
  return (most - before) / ((at - startedAt) / 1000)
}
