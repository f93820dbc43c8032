import { setTimeout as sleep } from 'node:timers/promises'
import { percentile } from '../statistics.mjs'
import { readBehindEventsOf, runQuery } from './public-api.mjs'
import { sendRequests } from './send-requests.mjs'

/** @import { BenchService } from './data-folder.mjs' */
/** @import { SiteRequest } from './site-load.mjs' */

/** One event of this many is looked for, unless the caller asks for more. */
const EVENTS_PER_PROBE = 500

/** Events that one query looks for. */
const MAX_PENDING = 50

/** Pause between two queries, unless the caller asks for another. It adds to the measured delays. */
const POLL_MS = 5

/**
 * Sends events at a steady rate and measures the time from the acknowledgement of an event to the end of the first query that finds it.
 *
 * @param {readonly BenchService[]} nodes Of a new service. All get events, and the first is asked for them.
 * @param {Iterable<SiteRequest>} requests
 * @param {number} eventsPerSecond
 * @param {object} [options]
 * @param {number} [options.eventsPerProbe] One event of this many is looked for.
 * @param {number} [options.pollMs] Pause between two queries.
 */
export const measureFreshness = async (nodes, requests, eventsPerSecond, options = {}) => {
  const { eventsPerProbe = EVENTS_PER_PROBE, pollMs = POLL_MS } = options
  /** By uuid, oldest first: when the event was acknowledged, and how many probes its request stands for. */
  const pending = new Map()
  const delaysMs = []
  let [acknowledgedEvents, probes] = [0, 0]
  const onAcknowledged = ({ eventCount, lastUuid }) => {
    acknowledgedEvents += eventCount
    const dueProbes = Math.floor(acknowledgedEvents / eventsPerProbe) - probes
    if (dueProbes === 0) return
    probes += dueProbes
    pending.set(lastUuid, { acknowledgedAt: performance.now(), probes: dueProbes })
  }
  const sending = { hasEnded: false }
  const lookForProbes = async () => {
    while (!sending.hasEnded || pending.size > 0) {
      const uuids = [...pending.keys()].slice(0, MAX_PENDING)
      const isIndexed = sending.hasEnded && (await readBehindEventsOf(nodes)) === 0
      if (uuids.length > 0) {
        const list = uuids.map((uuid) => `'${uuid}'`).join(', ')
        const { results } = await runQuery(nodes[0], `SELECT uuid FROM events WHERE uuid IN (${list})`)
        const foundAt = performance.now()
        if (isIndexed && results.length === 0) throw new Error(`Acknowledged events are missing: ${list}.`)
        for (const [uuid] of results) {
          const probe = pending.get(uuid)
          for (let count = 0; count < probe.probes; count++) delaysMs.push(foundAt - probe.acknowledgedAt)
          pending.delete(uuid)
        }
      }
      await sleep(pollMs)
    }
  }
  const urls = nodes.map(({ url }) => url)
  const sent = sendRequests(urls, requests, { eventsPerSecond, onAcknowledged }).finally(() => {
    sending.hasEnded = true
  })
  const [{ durationMs }] = await Promise.all([sent, lookForProbes()])
  return {
    eventsPerSecond: Math.round((acknowledgedEvents * 1000) / durationMs),
    seconds: Math.round(durationMs / 1000),
    probes: delaysMs.length,
    p50Ms: Math.round(percentile(delaysMs, 0.5)),
    p99Ms: Math.round(percentile(delaysMs, 0.99)),
    maxMs: Math.round(Math.max(...delaysMs)),
  }
}
