import { sendRequests } from './send-requests.mjs'

/** @import { BenchService } from './data-folder.mjs' */
/** @import { SiteRequest } from './site-load.mjs' */

/** Rate at which events arrive while queries run. */
export const ARRIVING_PER_SECOND = 2000

/**
 * Measures something while more events arrive at a steady rate.
 *
 * @template Result
 * @param {BenchService} service
 * @param {Iterable<SiteRequest>} requests Enough of them.
 * @param {() => Promise<Result>} measure
 * @param {(request: SiteRequest, dueAt: number) => void} [onAcknowledged] As for `sendRequests`.
 * @returns {Promise<{ result: Result, eventsPerSecond: number }>} With the rate that was reached.
 */
export const whileEventsArrive = async (service, requests, measure, onAcknowledged) => {
  const stopped = new AbortController()
  const arrival = sendRequests(service.url, requests, {
    eventsPerSecond: ARRIVING_PER_SECOND,
    signal: stopped.signal,
    onAcknowledged,
  })
  try {
    const result = await Promise.race([
      measure(),
      arrival.then(() => Promise.reject(new Error('The last event arrived before the end of the queries.'))),
    ])
    stopped.abort()
    const { eventCount, durationMs } = await arrival
    return { result, eventsPerSecond: Math.round((eventCount * 1000) / durationMs) }
  } finally {
    stopped.abort()
  }
}
