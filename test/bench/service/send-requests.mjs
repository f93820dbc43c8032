import { setTimeout as sleep } from 'node:timers/promises'
import { createPosts, runConnection } from '../http-connection.mjs'

/** @import { SiteRequest } from './site-load.mjs' */

const CONNECTIONS = 32

/**
 * Sends requests in order over 32 connections. A request that the service refuses because it is busy is sent again, as clients do.
 *
 * @param {string} url Origin of the service.
 * @param {Iterable<SiteRequest>} requests
 * @param {object} [options]
 * @param {number} [options.eventsPerSecond] Default: as fast as the service acknowledges.
 * @param {AbortSignal} [options.signal] Ends the sending early.
 * @param {(request: SiteRequest) => void} [options.onAcknowledged]
 * @returns {Promise<{ eventCount: number, refusedCount: number, durationMs: number }>} The acknowledged events, and how often a request was
 *   refused.
 */
export const sendRequests = async (url, requests, options = {}) => {
  const { eventsPerSecond = Infinity, signal, onAcknowledged = () => undefined } = options
  const createBytes = createPosts(`${url}/batch/`, 'text/plain')
  const iterator = requests[Symbol.iterator]()
  const startedAt = performance.now()
  let [sentEvents, acknowledgedEvents, refusedCount] = [0, 0, 0]

  const run = () => {
    /** @type {SiteRequest} */
    let request
    const nextRequest = () => {
      const { done, value } = iterator.next()
      if (done || signal?.aborted) return null
      request = value
      const bytes = createBytes(request.body)
      const waitMs = startedAt + (sentEvents * 1000) / eventsPerSecond - performance.now()
      sentEvents += request.eventCount
      return waitMs > 0 ? sleep(waitMs, bytes) : bytes
    }
    const onResponse = () => {
      acknowledgedEvents += request.eventCount
      onAcknowledged(request)
    }
    return runConnection(url, nextRequest, onResponse, () => {
      refusedCount += 1
    })
  }
  try {
    await Promise.all(Array.from({ length: CONNECTIONS }, run))
  } finally {
    iterator.return?.()
  }
  return { eventCount: acknowledgedEvents, refusedCount, durationMs: performance.now() - startedAt }
}
