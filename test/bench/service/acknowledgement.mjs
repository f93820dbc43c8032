import { readCpuMicroseconds } from './process-figures.mjs'
import { readBehindEvents } from './public-api.mjs'
import { sendRequests } from './send-requests.mjs'

/** @import { BenchService } from './data-folder.mjs' */
/** @import { SiteRequest } from './site-load.mjs' */

/**
 * Sends events as fast as the service acknowledges them while its indexer runs.
 *
 * @param {BenchService} service A new one.
 * @param {Iterable<SiteRequest>} requests
 */
export const measureAcknowledgement = async (service, requests) => {
  const cpuBefore = readCpuMicroseconds(service.pid)
  const { eventCount, refusedCount, durationMs } = await sendRequests(service.url, requests)
  const indexedEvents = eventCount - (await readBehindEvents(service))
  return {
    eventCount,
    refusedCount,
    eventsPerSecond: Math.round((eventCount * 1000) / durationMs),
    indexedPerSecond: Math.round((indexedEvents * 1000) / durationMs),
    frontCpuPerEvent: Number(((readCpuMicroseconds(service.pid) - cpuBefore) / eventCount).toFixed(1)),
  }
}
