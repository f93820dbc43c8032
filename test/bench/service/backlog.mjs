import { setTimeout as sleep } from 'node:timers/promises'
import { readDiskUse } from './disk-use.mjs'
import { holdIndexer } from './hold-indexer.mjs'
import { readCpuMicroseconds, readMemoryMb, readServiceMemoryMb } from './process-figures.mjs'
import { readBehindEvents, waitUntilIndexed } from './public-api.mjs'
import { sendRequests } from './send-requests.mjs'

/** @import { BenchService } from './data-folder.mjs' */
/** @import { SiteRequest } from './site-load.mjs' */

/** Interval of the samples of progress and memory. Each asks the front to count the waiting events. */
const SAMPLE_MS = 250

/** Time until a service without work counts as idle. */
const IDLE_MS = 15_000

/** Largest part of a backlog whose rate is compared: the first and the last million. */
const MAX_PART_EVENTS = 1_000_000

/**
 * Sends events while the indexer is stopped, lets it work, and measures it from its start until the last event is queryable.
 *
 * @param {BenchService} service Without waiting events. It may have stored ones.
 * @param {Iterable<SiteRequest>} requests
 */
export const workOffBacklog = async (service, requests) => {
  const storedCpu = readCpuMicroseconds(service.pid)
  const hold = holdIndexer(service.pid)
  const sent = await sendRequests(service.url, requests).catch((error) => {
    hold.cancel()
    throw error
  })
  await assertAllWait(service, sent.eventCount)

  const startedAt = performance.now()
  const indexer = await hold.release()
  const samples = [{ elapsedMs: 0, behindEvents: sent.eventCount }]
  let togetherPeakMb = 0
  const memoryTimer = setInterval(() => {
    togetherPeakMb = Math.max(togetherPeakMb, readServiceMemoryMb(service.pid))
  }, SAMPLE_MS / 5)
  try {
    await waitUntilIndexed(
      service,
      (behindEvents) => samples.push({ elapsedMs: performance.now() - startedAt, behindEvents }),
      SAMPLE_MS,
    )
  } finally {
    clearInterval(memoryTimer)
  }
  const cpuPerEvent = (microseconds) => Number((microseconds / sent.eventCount).toFixed(1))
  const partEvents = Math.min(MAX_PART_EVENTS, Math.round(sent.eventCount / 10))
  return {
    acknowledgedPerSecond: Math.round((sent.eventCount * 1000) / sent.durationMs),
    eventsPerSecond: rateBetween(samples, 0, sent.eventCount),
    partEvents,
    firstPartPerSecond: rateBetween(samples, 0, partEvents),
    lastPartPerSecond: rateBetween(samples, sent.eventCount - partEvents, sent.eventCount),
    frontCpuPerEvent: cpuPerEvent(readCpuMicroseconds(service.pid) - storedCpu),
    indexerCpuPerEvent: cpuPerEvent(readCpuMicroseconds(indexer)),
    peakMb: Math.round(togetherPeakMb),
    frontPeakMb: Math.round(readMemoryMb(service.pid).peak),
    indexerPeakMb: Math.round(readMemoryMb(indexer).peak),
  }
}

/** What remains once a service has worked off its backlog: memory while it is idle, and bytes on disk after its stop. */
export const measureRest = async (/** @type {BenchService} */ service, /** @type {number} */ eventCount) => {
  await sleep(IDLE_MS)
  const idleMb = Math.round(readServiceMemoryMb(service.pid))
  await service.stop()
  const { usedBytes, reusableBytes } = readDiskUse(service.folder)
  return {
    idleMb,
    bytesPerEvent: Math.round(usedBytes / eventCount),
    inboxReusableMb: Math.round(reusableBytes / 2 ** 20),
  }
}

/** A stopped indexer may have been replaced by one that was not stopped in time. */
const assertAllWait = async (service, eventCount) => {
  const behindEvents = await readBehindEvents(service)
  if (behindEvents < eventCount * 0.99)
    throw new Error(`Only ${behindEvents} of ${eventCount} events wait: the indexer was not stopped. Run it again.`)
}

/** Events per second between two numbers of indexed events. Samples are interpolated, because a commit has many events. */
const rateBetween = (samples, from, to) =>
  Math.round(((to - from) * 1000) / (timeAtIndexed(samples, to) - timeAtIndexed(samples, from)))

const timeAtIndexed = (samples, events) => {
  const total = samples[0].behindEvents
  const steps = samples.filter(
    ({ behindEvents }, index) => index === 0 || behindEvents < samples[index - 1].behindEvents,
  )
  const after = steps.findIndex(({ behindEvents }) => total - behindEvents >= events)
  if (after <= 0) return 0
  const [start, end] = [steps[after - 1], steps[after]]
  const part = (start.behindEvents - (total - events)) / (start.behindEvents - end.behindEvents)
  return start.elapsedMs + part * (end.elapsedMs - start.elapsedMs)
}
