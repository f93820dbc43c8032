import { loadavg } from 'node:os'
import { percentile } from '../statistics.mjs'
import { createDataFolder } from './data-folder.mjs'
import { runQuery, waitUntilIndexed } from './public-api.mjs'
import { QUERIES } from './queries.mjs'
import { sendRequests } from './send-requests.mjs'
import { createSiteRequests } from './site-load.mjs'

const DAY_MS = 86_400_000

/** The days before today over which the stored events spread. */
const STORED_DAYS = 90

/** Rate at which events arrive while queries run. */
const INGESTED_PER_SECOND = 2000

/**
 * Fills a store with events as sites send them, and measures queries through the public endpoint while more events arrive.
 *
 * @param {object} options
 * @param {number} options.events In the store before the first query.
 * @param {number} options.queryRuns Of each query. All queries run once before the first one runs again.
 */
export const runQueriesBench = async ({ events, queryRuns }) => {
  // Tells whether other programs used the machine.
  const loadBefore = Number(loadavg()[0].toFixed(1))
  const data = await createDataFolder()
  const service = await data.start()
  const { apiKey } = data
  try {
    console.log(`  store ${events} events …`)
    const spreadMs = STORED_DAYS * DAY_MS
    const stored = { apiKey, eventCount: events, startMs: Date.now() - spreadMs, eventsPerMs: events / spreadMs }
    await sendRequests(service.url, createSiteRequests(stored))
    await waitUntilIndexed(service)
    const personIds = await pickPersonIds(service, queryRuns)

    const live = { apiKey, eventCount: Infinity, startMs: Date.now(), eventsPerMs: INGESTED_PER_SECOND / 1000, seed: 2 }
    const stopped = new AbortController()
    const ingestion = sendRequests(service.url, createSiteRequests(live), {
      eventsPerSecond: INGESTED_PER_SECOND,
      signal: stopped.signal,
    })
    const results = await Promise.race([
      measureQueries(service, personIds),
      // It ends only by an error.
      ingestion.then(() => Promise.reject(new Error('The ingestion ended before the queries.'))),
    ])
    stopped.abort()
    const { eventCount, durationMs } = await ingestion
    return {
      eventCount: events,
      days: STORED_DAYS,
      runs: queryRuns,
      loadBefore,
      ingestedPerSecond: Math.round((eventCount * 1000) / durationMs),
      queries: results,
    }
  } finally {
    await service.stop()
    service.remove()
    data.remove()
  }
}

/** Any persons with events, always the same. */
const pickPersonIds = async (service, count) => {
  const { results } = await runQuery(
    service,
    `SELECT person_id FROM events GROUP BY person_id ORDER BY md5(person_id::VARCHAR) LIMIT ${count}`,
  )
  return results.map(([id]) => id)
}

/** Runs every query once for each person. A query that fails is not repeated. */
const measureQueries = async (service, personIds) => {
  const durations = new Map(QUERIES.map(({ name }) => [name, []]))
  const errors = new Map()
  for (const [run, personId] of personIds.entries()) {
    console.log(`  queries, run ${run + 1} of ${personIds.length} …`)
    for (const { name, sql } of QUERIES) {
      if (errors.has(name)) continue
      const startedAt = performance.now()
      try {
        await runQuery(service, typeof sql === 'string' ? sql : sql(personId))
        durations.get(name).push(performance.now() - startedAt)
      } catch (error) {
        errors.set(name, error.message)
      }
    }
  }
  return QUERIES.map(({ name, goalMs }) =>
    errors.has(name)
      ? { name, goalMs, error: errors.get(name) }
      : {
          name,
          goalMs,
          p50Ms: Math.round(percentile(durations.get(name), 0.5)),
          p95Ms: Math.ceil(percentile(durations.get(name), 0.95)),
        },
  )
}
