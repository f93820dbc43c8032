import { setTimeout as sleep } from 'node:timers/promises'
import { createPosts, runConnection } from '../http-connection.mjs'

/** @import { SiteRequest } from './site-load.mjs' */

const CONNECTIONS = 32

/**
 * Sends requests in order over 32 connections. A request that the service refuses because it is busy is sent again, as clients do.
 *
 * @param {string | readonly string[]} origins Of the service, or of its nodes, which get the same number of connections.
 * @param {Iterable<SiteRequest>} requests
 * @param {object} [options]
 * @param {number} [options.eventsPerSecond] Default: as fast as the service acknowledges.
 * @param {AbortSignal} [options.signal] Ends the sending early.
 * @param {(request: SiteRequest, dueAt: number) => void} [options.onAcknowledged] With the time (`performance.now()`) at which the request
 *   was due. It may have been sent later, if all connections were busy.
 * @returns {Promise<{ eventCount: number, refusedCount: number, durationMs: number }>} The acknowledged events, and how often a request was
 *   refused.
 */
export const sendRequests = async (origins, requests, options = {}) => {
  const { eventsPerSecond = Infinity, signal, onAcknowledged = () => undefined } = options
  const urls = [origins].flat()
  const iterator = requests[Symbol.iterator]()
  const startedAt = performance.now()
  let [sentEvents, acknowledgedEvents, refusedCount] = [0, 0, 0]

  const run = (/** @type {string} */ url) => {
    const createBytes = createPosts(`${url}/batch/`, 'text/plain')
    /** @type {SiteRequest} */
    let request
    let dueAt = startedAt
    const nextRequest = () => {
      const { done, value } = iterator.next()
      if (done || signal?.aborted) return null
      request = value
      const bytes = createBytes(request.body)
      dueAt = startedAt + (sentEvents * 1000) / eventsPerSecond
      const waitMs = dueAt - performance.now()
      sentEvents += request.eventCount
      return waitMs > 0 ? sleep(waitMs, bytes) : bytes
    }
    const onResponse = () => {
      acknowledgedEvents += request.eventCount
      onAcknowledged(request, dueAt)
    }
    return runConnection(url, nextRequest, onResponse, () => {
      refusedCount += 1
    })
  }
  try {
    await Promise.all(Array.from({ length: CONNECTIONS }, (_, index) => run(urls[index % urls.length])))
  } finally {
    iterator.return?.()
  }
  return { eventCount: acknowledgedEvents, refusedCount, durationMs: performance.now() - startedAt }
}
