/** The last events may wait seconds for a timer, so they are left out of the rate. */
const SHARE = 0.99

/**
 * Computes events per second until nearly all delivered events had arrived.
 *
 * @param {readonly (readonly [atMs: number, totalDelivered: number])[]} arrivals Times, and numbers of distinct events until then.
 * @param {{ startedAt: number, deliveredBefore: number }} start Start of the program, and number of events delivered before.
 */
export const deliveryRate = (arrivals, { startedAt, deliveredBefore }) => {
  const delivered = (arrivals.at(-1)?.[1] ?? 0) - deliveredBefore
  const [atMs, counted] = arrivals.find(
    ([, count]) => count > deliveredBefore && count - deliveredBefore >= delivered * SHARE,
  ) ?? [Infinity, deliveredBefore]
  return (counted - deliveredBefore) / ((atMs - startedAt) / 1000)
}
