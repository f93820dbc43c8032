import { row, rule, thousands, verdict } from './table.mjs'

/** The lines around the tables in the README. */
export const SITE_BEGIN = '<!-- site events: written by `npm run bench` -->'
export const SITE_END = '<!-- end of site events -->'
export const QUERIES_BEGIN = '<!-- queries: written by `npm run bench` -->'
export const QUERIES_END = '<!-- end of queries -->'

/** Share of the rate with few events or persons that the rate with many must reach: runs differ by some percent. */
const SAME_RATE = 0.95

/**
 * Formats how the service takes events as sites send them.
 *
 * @param {any} site The part `service.site` of results.json.
 */
export const siteTable = (site) => {
  const { acknowledged, arrivals, backlog, loader, manyPersons, steady } = site
  const cpu = backlog.frontCpuPerEvent + backlog.indexerCpuPerEvent
  const fewPersons = manyPersons[0]
  const mostPersons = manyPersons.at(-1)
  const head = [
    `${thousands(site.eventCount)} events over ${site.days} days, ${thousands(site.persons)} persons at first; ${describeRuns(site)}`,
    '',
  ]
  const rows = [
    [
      'acknowledged while the indexer runs, requests of 1, 20 and 1,000 events mixed',
      `${thousands(acknowledged.eventsPerSecond)}/s`,
    ],
    ...arrivals.map(({ eventsPerRequest, eventsPerSecond }) => [
      `the same, each request with ${eventCount(eventsPerRequest)}`,
      `${thousands(eventsPerSecond)}/s`,
    ]),
    [
      'indexed while the front acknowledges the mixture',
      `${thousands(acknowledged.indexedPerSecond)}/s (goal ≥ 20,000: ${verdict(acknowledged.indexedPerSecond >= 20_000)})`,
    ],
    [
      'indexed from a backlog of all events',
      `${thousands(backlog.eventsPerSecond)}/s (goal ≥ 50,000: ${verdict(backlog.eventsPerSecond >= 50_000)})`,
    ],
    [
      `its first and its last ${thousands(backlog.partEvents)} events`,
      `${thousands(backlog.firstPartPerSecond)}/s, ${thousands(backlog.lastPartPerSecond)}/s (goal: no slower: ${verdict(backlog.lastPartPerSecond >= backlog.firstPartPerSecond * SAME_RATE)})`,
    ],
    [
      `a backlog of ${thousands(fewPersons.eventCount)} with ${manyPersons.map(({ persons }) => thousands(persons)).join(' and ')} stored persons`,
      `${manyPersons.map(({ eventsPerSecond }) => `${thousands(eventsPerSecond)}/s`).join(', ')} (goal: no slower: ${verdict(mostPersons.eventsPerSecond >= fewPersons.eventsPerSecond * SAME_RATE)})`,
    ],
    [
      'a loader of the same rows, without persons and checks',
      `${thousands(loader.eventsPerSecond)}/s; the indexer reaches ${site.loaderRatio} of it (goal ≥ 0.6: ${verdict(site.loaderRatio >= 0.6)})`,
    ],
    [
      'CPU time per event',
      `${cpu.toFixed(1)} µs: front ${backlog.frontCpuPerEvent}, indexer ${backlog.indexerCpuPerEvent} (goal for the indexer ≤ 35: ${verdict(backlog.indexerCpuPerEvent <= 35)}); the loader ${loader.cpuPerEvent}`,
    ],
    [
      `acknowledged to queryable at ${thousands(steady.eventsPerSecond)} events/s for ${thousands(steady.seconds)} s`,
      `p50 ${thousands(steady.p50Ms)} ms, p99 ${thousands(steady.p99Ms)} ms (goal ≤ 500: ${verdict(steady.p99Ms <= 500)}), longest ${thousands(steady.maxMs)} ms`,
    ],
    [
      'peak memory of both processes during the backlog',
      `${thousands(backlog.peakMb)} MiB (goal ≤ 600: ${verdict(backlog.peakMb <= 600)}); front at most ${thousands(backlog.frontPeakMb)}, indexer at most ${thousands(backlog.indexerPeakMb)}`,
    ],
    [
      'memory of both, idle after it',
      `${thousands(backlog.idleMb)} MiB (goal ≤ 300: ${verdict(backlog.idleMb <= 300)})`,
    ],
    [
      'on disk per event: store, uuids, metadata, emptied inbox',
      `${backlog.bytesPerEvent} bytes (goal ≤ 130: ${verdict(backlog.bytesPerEvent <= 130)}); the loader's file ${loader.bytesPerEvent}. The inbox keeps ${thousands(backlog.inboxReusableMb)} MiB for later requests`,
    ],
  ]
  return [SITE_BEGIN, '', row(head), rule(head), ...rows.map(row), '', SITE_END].join('\n')
}

/**
 * Formats the times of the queries.
 *
 * @param {any} queries The part `queries` of results.json.
 */
export const queriesTable = (queries) => {
  const head = [
    `${thousands(queries.eventCount)} events over ${queries.days} days; ${describeRuns(queries)}`,
    'p50 ms',
    'p95 ms',
    'goal for 10 million, ms',
  ]
  const rows = queries.queries.map(({ name, p50Ms, p95Ms, goalMs, error }) =>
    error === undefined
      ? [name, thousands(p50Ms), thousands(p95Ms), `≤ ${thousands(goalMs)}: ${verdict(p95Ms <= goalMs)}`]
      : [name, 'refused', `\`${error.split('\n')[0]}\``, `≤ ${thousands(goalMs)}: ${verdict(false)}`],
  )
  const beside = `${thousands(queries.ingestedPerSecond)} events/s arrived meanwhile.`
  return [QUERIES_BEGIN, '', row(head), rule(head), ...rows.map(row), '', beside, '', QUERIES_END].join('\n')
}

/** The load average before the bench is that of other programs, and of benches before it. */
export const describeRuns = ({ runs, loadBefore }) =>
  `${runs === 1 ? 'one run' : `${runs} runs`}, load average ${loadBefore} before`

const eventCount = (count) => (count === 1 ? '1 event' : `${thousands(count)} events`)
