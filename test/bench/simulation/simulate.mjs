import { seededRandom } from '../statistics.mjs'
import { createNode } from './node.mjs'
import { shareOut } from './share-out.mjs'

/**
 * A number of nodes that share their stores, and what goes wrong. Times are in seconds since the start.
 *
 * @typedef {object} Installation
 * @property {number} nodes
 * @property {number} seconds How long the simulation runs.
 * @property {number} arrivalsPerSecond Events that clients send to all nodes together; the number of a second differs by up to a fifth.
 * @property {number} acknowledgedPerSecond Most events that one node acknowledges.
 * @property {number} indexedPerSecond Most events that one node indexes.
 * @property {number} storedPerSecond Most events that the stores take from all nodes together.
 * @property {number} inboxBytesPerEvent
 * @property {number} inboxLimitBytes Of one node; above it, the node refuses events.
 * @property {readonly Fault[]} faults
 * @property {number} [seed] Default: 1.
 */

/**
 * - `node`: that many nodes end for ever. What their inboxes hold is read from a copy (`waymark-service drain`) from `drainedAt` on; without
 *   `drainedAt` it is lost.
 * - `store`: the stores take only that share of what they usually take; 0: they are away.
 *
 * @typedef {{ kind: 'node', at: number, count: number, drainedAt?: number }
 *   | { kind: 'store', from: number, until: number, share: number }} Fault
 */

/** The load balancer sends events to a node that has ended for so long; these fail, and the clients send them again. */
const DETECTED_AFTER_SECONDS = 10

/** An indexer that could not store waits up to this long before it tries again (`src/service/indexer/indexing-loop.ts`). */
const MAX_RETRY_SECONDS = 10

/** Differences between the seconds, and between what the nodes get in one second. */
const VARIATION = 0.2

/** Until the backlog is that of so many seconds of arrivals, a fault is not over. */
const USUAL_BACKLOG_SECONDS = 2

/**
 * Simulates an installation second by second. It is deterministic: the same input has the same result.
 *
 * @param {Installation} installation
 */
export const simulate = ({ nodes: nodeCount, seconds, faults, seed = 1, ...rates }) => {
  const random = seededRandom(seed)
  const vary = () => 1 + VARIATION * (2 * random() - 1)
  const nodes = Array.from({ length: nodeCount }, () => createNode(rates))
  let [sent, acknowledged, stored, lost] = [0, 0, 0, 0]
  /** Events that clients keep, because they were refused or reached no node. */
  let atClients = 0
  /** Events by the seconds for which they waited. */
  const eventsByLag = /** @type {number[]} */ ([])
  let [peakAtClients, peakInboxBytes] = [0, 0]
  const faultsEnd = Math.max(0, ...faults.map(endOf))
  let recoveredAt = /** @type {number | null} */ (null)

  const endNodes = (now) => {
    for (const fault of faults) {
      if (fault.kind !== 'node' || fault.at !== now) continue
      for (const node of nodes.filter(({ endedAt }) => endedAt === null).slice(0, fault.count)) {
        node.endedAt = now
        node.drainedAt = fault.drainedAt ?? Infinity
        if (fault.drainedAt === undefined) lost += node.loseAll()
      }
    }
  }

  const send = (now) => {
    const arriving = Math.round(rates.arrivalsPerSecond * vary())
    sent += arriving
    const known = nodes.filter(({ endedAt }) => endedAt === null || now < endedAt + DETECTED_AFTER_SECONDS)
    const shares = shareOut(
      arriving + atClients,
      known.map(() => vary()),
    )
    for (const [index, node] of known.entries()) acknowledged += node.acknowledge(now, shares[index])
    atClients = sent - acknowledged
    peakAtClients = Math.max(peakAtClients, atClients)
  }

  const store = (now) => {
    const share = Math.min(1, ...faults.map((fault) => shareAt(fault, now)))
    const trying = nodes.filter((node) => node.canIndex(now))
    if (share === 0) {
      for (const node of trying) node.retryAt = now + 1 + Math.floor(random() * MAX_RETRY_SECONDS)
      return
    }
    const needs = trying.map((node) => node.need())
    const budget = Math.floor(rates.storedPerSecond * share)
    const needed = needs.reduce((sum, need) => sum + need, 0)
    const grants = needed <= budget ? needs : shareOut(budget, needs)
    for (const [index, node] of trying.entries())
      node.index(now, grants[index], (count, lag) => {
        stored += count
        eventsByLag[lag] = (eventsByLag[lag] ?? 0) + count
      })
  }

  for (let now = 0; now < seconds; now++) {
    endNodes(now)
    // First what was acknowledged before, so that an event waits for a second at least, and a node that ends has some.
    store(now)
    send(now)
    const waiting = nodes.reduce((sum, node) => sum + node.waiting(), atClients)
    peakInboxBytes = Math.max(peakInboxBytes, ...nodes.map((node) => node.waiting() * rates.inboxBytesPerEvent))
    if (now >= faultsEnd && recoveredAt === null && waiting <= rates.arrivalsPerSecond * USUAL_BACKLOG_SECONDS)
      recoveredAt = now
  }
  return {
    sent,
    acknowledged,
    stored,
    /** In the inboxes of all nodes, also of those that have ended and will be drained. */
    waiting: nodes.reduce((sum, node) => sum + node.waiting(), 0),
    atClients,
    lost,
    maxLagSeconds: eventsByLag.length === 0 ? 0 : eventsByLag.length - 1,
    p99LagSeconds: lagBelow(eventsByLag, stored * 0.99),
    /** Events that were refused, or reached no node, and not sent again yet. */
    peakAtClients,
    /** Of one node. */
    peakInboxBytes,
    /** After the last fault has ended; null: not within the simulated time. */
    recoveredAfterSeconds: recoveredAt === null ? null : recoveredAt - faultsEnd,
  }
}

const endOf = (/** @type {Fault} */ fault) => (fault.kind === 'store' ? fault.until : (fault.drainedAt ?? fault.at))

const shareAt = (/** @type {Fault} */ fault, /** @type {number} */ now) =>
  fault.kind === 'store' && fault.from <= now && now < fault.until ? fault.share : 1

/** The lag within which so many events were stored. */
const lagBelow = (eventsByLag, count) => {
  let rest = count
  for (let lag = 0; lag < eventsByLag.length; lag++) {
    rest -= eventsByLag[lag] ?? 0
    if (rest <= 0) return lag
  }
  return 0
}
