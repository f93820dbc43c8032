import { loadavg } from 'node:os'
import { join } from 'node:path'
import { median } from '../statistics.mjs'
import { createTemporaryFolder } from '../temporary-folder.mjs'
import { measureAcknowledgement } from './acknowledgement.mjs'
import { measureRest, workOffBacklog } from './backlog.mjs'
import { createDataFolder } from './data-folder.mjs'
import { measureFreshness } from './freshness.mjs'
import { readLoadFile, writeLoadFile } from './load-file.mjs'
import { runLoader } from './loader.mjs'
import { runQuery, waitUntilIndexed } from './public-api.mjs'
import { sendRequests } from './send-requests.mjs'
import { createPersonRequests, createSiteRequests, DEFAULT_PERSONS } from './site-load.mjs'

const DAY_MS = 86_400_000

/** The days before today over which the events of a backlog spread. */
const BACKLOG_DAYS = 90

/** Most events that are sent while the indexer runs: the rates need no more. */
const MAX_CONCURRENT_EVENTS = 2_000_000

/** Rate at which the delay until an event is queryable is measured. */
const STEADY_EVENTS_PER_SECOND = 5000

/**
 * Measures the service with events as sites send them (`site-load.mjs`), and a plain loader of the same events.
 *
 * @param {object} options
 * @param {number} options.events In the backlog.
 * @param {number} options.runs Of backlog and loader, alternating. The figures are medians.
 * @param {readonly number[]} options.persons Numbers of stored persons to compare.
 * @param {number} options.steadySeconds How long events are sent at the steady rate.
 */
export const runSiteBench = async ({ events, runs, persons, steadySeconds }) => {
  // Tells whether other programs used the machine.
  const loadBefore = Number(loadavg()[0].toFixed(1))
  const files = createTemporaryFolder()
  const data = await createDataFolder()
  const { apiKey } = data
  const startMs = Date.now() - BACKLOG_DAYS * DAY_MS
  /** Creates the requests now, so that this does not slow down what is measured. */
  const prepare = (name, requests) => {
    log(`create ${name}`)
    return writeLoadFile(join(files.path, name), requests)
  }
  const siteLoad = (eventCount, more = {}) =>
    createSiteRequests({ apiKey, eventCount, startMs, eventsPerMs: eventCount / (BACKLOG_DAYS * DAY_MS), ...more })
  /** Runs a measurement on a new service. */
  const withService = async (measure) => {
    const service = await data.start()
    try {
      return await measure(service)
    } finally {
      await service.stop()
      service.remove()
    }
  }

  const measureBacklogs = async (load) => {
    const columns = await withService(readEventColumns)
    const results = { service: [], loader: [] }
    for (let run = 0; run < runs; run++) {
      log(`backlog, run ${run + 1} of ${runs}`)
      const result = await withService(async (service) => ({
        ...(await workOffBacklog(service, readLoadFile(load.path))),
        ...(await measureRest(service, load.eventCount)),
      }))
      console.log(result)
      results.service.push(result)
      log(`loader, run ${run + 1} of ${runs}`)
      const loaded = await runLoader(load.path, columns)
      console.log(loaded)
      results.loader.push(loaded)
    }
    return { backlog: medians(results.service), loader: medians(results.loader) }
  }

  const measurePersons = async (count) => {
    log(`backlog with ${count} persons`)
    const eventCount = Math.min(events, MAX_CONCURRENT_EVENTS) / 2
    const load = prepare('persons', siteLoad(eventCount, { persons: count }))
    return withService(async (service) => {
      await sendRequests(
        service.url,
        createPersonRequests({ apiKey, persons: count, startMs, eventCount, eventsPerMs: 1 }),
      )
      await waitUntilIndexed(service)
      const { eventsPerSecond } = await workOffBacklog(service, readLoadFile(load.path))
      return { persons: count, eventCount, eventsPerSecond }
    })
  }

  const measureSteadyRate = () => {
    const eventCount = STEADY_EVENTS_PER_SECOND * steadySeconds
    const load = prepare(
      'steady',
      siteLoad(eventCount, { startMs: Date.now(), eventsPerMs: STEADY_EVENTS_PER_SECOND / 1000 }),
    )
    log(`${STEADY_EVENTS_PER_SECOND} events/s for ${steadySeconds} s`)
    return withService((service) => measureFreshness([service], readLoadFile(load.path), STEADY_EVENTS_PER_SECOND))
  }

  /** Requests of one size; fewer events of small requests, which take longer. */
  const measureArrival = (eventsPerRequest, share) => {
    const arrival = [{ eventsPerRequest, share: 1 }]
    const load = prepare('arrival', siteLoad(Math.round(Math.min(events, 1_000_000) * share), { arrival }))
    log(`requests of ${eventsPerRequest}`)
    return withService(async (service) => ({
      eventsPerRequest,
      ...(await measureAcknowledgement(service, readLoadFile(load.path))),
    }))
  }

  try {
    const load = prepare('load', siteLoad(events))
    const { backlog, loader } = await measureBacklogs(load)
    const concurrent = prepare('concurrent', siteLoad(Math.min(events, MAX_CONCURRENT_EVENTS)))
    log('acknowledged while the indexer runs')
    const acknowledged = await withService((service) => measureAcknowledgement(service, readLoadFile(concurrent.path)))
    return {
      eventCount: events,
      days: BACKLOG_DAYS,
      persons: DEFAULT_PERSONS,
      runs,
      loadBefore,
      requestBytesPerEvent: Math.round(load.bytes / load.eventCount),
      acknowledged,
      arrivals: [await measureArrival(1, 0.1), await measureArrival(20, 0.5), await measureArrival(1000, 0.5)],
      backlog,
      loader,
      // Rounded down, so that rounding does not help to meet the goal.
      loaderRatio: Math.floor((backlog.eventsPerSecond / loader.eventsPerSecond) * 100) / 100,
      manyPersons: await inSequence(persons, measurePersons),
      steady: await measureSteadyRate(),
    }
  } finally {
    data.remove()
    files.remove()
  }
}

const log = (message) => console.log(`  ${message} …`)

/** The names and types of the columns of `events`. */
const readEventColumns = async (service) => {
  const { columns, types } = await runQuery(service, 'SELECT * FROM events LIMIT 0')
  return columns.map((name, index) => ({ name, type: types[index] }))
}

/** The median of each figure. */
const medians = (results) =>
  Object.fromEntries(Object.keys(results[0]).map((name) => [name, median(results.map((result) => result[name]))]))

const inSequence = async (values, measure) => {
  const results = []
  for (const value of values) results.push(await measure(value))
  return results
}
