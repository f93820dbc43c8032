import { findLimits } from './scale/find-limits.mjs'
import { describeRuns } from './service-table.mjs'
import { row, rule, thousands } from './table.mjs'

/** The lines around the table in the README. */
export const SCALE_BEGIN = '<!-- scale: written by `npm run bench` -->'
export const SCALE_END = '<!-- end of scale -->'

/** Other programs that use this much make the rates lower than they would be. */
const MANY_CORES_USED = 0.15

/** Of the two cores. */
const ALL_CORES_USED = 1.8

/**
 * Formats what one and several nodes on one PostgreSQL and one ClickHouse take.
 *
 * @param {any} scale The part `scale` of results.json; undefined if it has not been measured: the table is then left out.
 */
export const scaleTable = (scale) => {
  if (scale === undefined) return [SCALE_BEGIN, SCALE_END].join('\n')
  const { nodes, stored, versions, events, persons, steadyPerSecond, steadySeconds } = scale
  const head = [
    `${thousands(events)} events, ${thousands(persons)} persons at first; ${describeRuns({ runs: 1, ...scale })}`,
    ...nodes.map((measured) => (measured.nodes === 1 ? '1 node' : `${measured.nodes} nodes`)),
  ]
  const line = (what, format) => [what, ...nodes.map(format)]
  const cpu = (part, { together, backlog }) => `${together.cpuPerEvent[part]}, ${backlog.cpuPerEvent[part]}`
  const rows = [
    line('acknowledged while the indexers run', ({ together }) => `${thousands(together.eventsPerSecond)}/s`),
    line(
      'from the first event sent until the last is queryable',
      ({ together }) => `${thousands(together.queryablePerSecond)}/s`,
    ),
    line('indexed from a backlog', ({ backlog }) => `${thousands(backlog.eventsPerSecond)}/s`),
    line(
      `acknowledged to queryable at ${thousands(steadyPerSecond)} events/s for ${steadySeconds} s, ms`,
      ({ steady }) => `p50 ${thousands(steady.p50Ms)}, p99 ${thousands(steady.p99Ms)}`,
    ),
    line('CPU µs per event, front', ({ together }) => together.cpuPerEvent.front),
    line('indexer: meanwhile, from the backlog', (measured) => cpu('indexer', measured)),
    line('PostgreSQL: meanwhile, from the backlog', (measured) => cpu('postgres', measured)),
    line('ClickHouse: meanwhile, from the backlog', (measured) => cpu('clickHouse', measured)),
    line('cores in use: meanwhile, from the backlog', ({ together, backlog }) =>
      [together, backlog].map((part) => sumCores(part.cores).toFixed(1)).join(', '),
    ),
    line('of these, by other programs', ({ together, backlog }) =>
      [together, backlog].map((part) => part.cores.others.toFixed(1)).join(', '),
    ),
    line(
      'peak memory of a node, MiB: front, indexer',
      ({ memory }) => `${thousands(memory.frontPeakMb)}, ${thousands(memory.indexerPeakMb)}`,
    ),
  ]
  return [
    SCALE_BEGIN,
    '',
    row(head),
    rule(head),
    ...rows.map(row),
    '',
    `PostgreSQL ${versions.postgres}, ClickHouse ${versions.clickHouse} (chDB). On disk: ${stored.clickHouseBytesPerEvent} bytes per event, and for each ` +
      `person ${stored.clickHouseBytesPerPerson} bytes in ClickHouse and ${stored.postgresBytesPerPerson} in PostgreSQL.`,
    '',
    ...nodes.map((measured) => `- ${describeLimit(scale, measured)}`),
    '',
    SCALE_END,
  ].join('\n')
}

const sumCores = (used) => Object.values(used).reduce((sum, value) => sum + value, 0)

const describeLimit = (scale, { nodes, backlog }) => {
  const used = sumCores(backlog.cores)
  const { others } = backlog.cores
  const here =
    used >= ALL_CORES_USED
      ? `here the two cores are in use${others >= MANY_CORES_USED ? `, ${others.toFixed(1)} of them by other programs` : ''}`
      : `here ${used.toFixed(1)} of two cores are in use, and the indexer waits for answers`
  const limits = findLimits(scale, nodes)
    .map(({ part, eventsPerSecond }) => `${part} (${thousands(eventsPerSecond)}/s)`)
    .join(', then ')
  return `${nodes === 1 ? '1 node' : `${nodes} nodes`}: ${here}. With machines of their own, first ${limits}.`
}
