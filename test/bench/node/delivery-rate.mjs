/** The last events may wait seconds for a timer, so they are left out of the rate. */
const SHARE = 0.99

/**
 * Computes events per second until nearly all delivered events had arrived.
 *
 * @param {readonly (readonly [at: number, delivered: number])[]} arrivals Time in milliseconds and number of distinct events until then.
 * @param {{ startedAt: number, before: number }} start Start of the program, and number of events delivered before.
 */
export const deliveryRate = (arrivals, { startedAt, before }) => {
  const delivered = (arrivals.at(-1)?.[1] ?? 0) - before
  const [at, counted] = arrivals.find(([, count]) => count > before && count - before >= delivered * SHARE) ?? [
    Infinity,
    before,
  ]
  return (counted - before) / ((at - startedAt) / 1000)
}
