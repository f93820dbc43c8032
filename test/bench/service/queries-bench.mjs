import { loadavg } from 'node:os'
import { measureInTurn, summarize } from './measure-in-turn.mjs'
import { runQuery } from './public-api.mjs'
import { QUERIES } from './queries.mjs'
import { createSiteRequests } from './site-load.mjs'
import { openStoredEvents, STORED_DAYS } from './stored-events.mjs'
import { ARRIVING_PER_SECOND, whileEventsArrive } from './while-events-arrive.mjs'

/**
 * Measures queries through the public endpoint, on events as sites send them and while more of them arrive.
 *
 * @param {object} options
 * @param {number} options.events In the store before the first query.
 * @param {number} options.queryRuns Of each query. All queries run once before the first one runs again.
 */
export const runQueriesBench = async ({ events, queryRuns }) => {
  // Tells whether other programs used the machine.
  const loadBefore = Number(loadavg()[0].toFixed(1))
  const stored = await openStoredEvents(events)
  const service = await stored.start()
  try {
    const personIds = await pickPersonIds(service, queryRuns)
    const live = {
      apiKey: service.apiKey,
      eventCount: Infinity,
      startMs: Date.now(),
      eventsPerMs: ARRIVING_PER_SECOND / 1000,
      seed: 2,
    }
    const { result, eventsPerSecond } = await whileEventsArrive(service, createSiteRequests(live), () =>
      measureInTurn(
        QUERIES,
        queryRuns,
        ({ sql }, run) => runQuery(service, typeof sql === 'string' ? sql : sql(personIds[run])),
        (run) => console.log(`  queries, run ${run + 1} of ${queryRuns} …`),
      ),
    )
    return {
      eventCount: events,
      days: STORED_DAYS,
      runs: queryRuns,
      loadBefore,
      ingestedPerSecond: eventsPerSecond,
      queries: QUERIES.map(({ name, goalMs }, index) => Object.assign({ name, goalMs }, summarize(result[index]))),
    }
  } finally {
    await service.stop()
    service.remove()
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
