/**
 * A node of the simulation: its inbox, in the order in which events were acknowledged.
 *
 * @param {Pick<import('./simulate.mjs').Installation, 'acknowledgedPerSecond' | 'indexedPerSecond' | 'inboxBytesPerEvent' | 'inboxLimitBytes'>} rates
 */
export const createNode = ({ acknowledgedPerSecond, indexedPerSecond, inboxBytesPerEvent, inboxLimitBytes }) => {
  const maxWaiting = Math.floor(inboxLimitBytes / inboxBytesPerEvent)
  /** Acknowledged in the same second, oldest first. Those before `first` are stored. */
  let inbox = /** @type {{ at: number, count: number }[]} */ ([])
  let [first, waiting] = [0, 0]

  const node = {
    /** When it ended for ever; null while it runs. */
    endedAt: /** @type {number | null} */ (null),
    /** When its inbox is read from a copy. */
    drainedAt: Infinity,
    /** When it tries again to store. */
    retryAt: 0,
    waiting: () => waiting,
    /** Takes events, as many as it can; returns how many. */
    acknowledge(/** @type {number} */ now, /** @type {number} */ offered) {
      if (node.endedAt !== null) return 0
      const count = Math.max(0, Math.min(offered, acknowledgedPerSecond, maxWaiting - waiting))
      if (count > 0) inbox.push({ at: now, count })
      waiting += count
      return count
    },
    canIndex: (/** @type {number} */ now) =>
      waiting > 0 && now >= node.retryAt && (node.endedAt === null || now >= node.drainedAt),
    /** How many events it could store in a second. */
    need: () => Math.min(waiting, indexedPerSecond),
    /** Stores events, oldest first, and tells how long they waited. */
    index(
      /** @type {number} */ now,
      /** @type {number} */ granted,
      /** @type {(count: number, lagSeconds: number) => void} */ onStored,
    ) {
      let rest = granted
      waiting -= granted
      while (rest > 0) {
        const oldest = inbox[first]
        const count = Math.min(rest, oldest.count)
        onStored(count, now - oldest.at)
        rest -= count
        oldest.count -= count
        if (oldest.count === 0) first += 1
      }
      // Now and then, because it copies the rest.
      if (first > 1000) {
        inbox = inbox.slice(first)
        first = 0
      }
    },
    /** Its disk is gone. Returns how many events that were. */
    loseAll() {
      const count = waiting
      ;[inbox, first, waiting] = [[], 0, 0]
      return count
    },
  }
  return node
}
