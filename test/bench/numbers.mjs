import { CAPACITY_BEGIN, CAPACITY_END, capacitySentence, capacityTable } from './capacity.mjs'
import { changesTable, CHANGES_BEGIN, CHANGES_END } from './changes-table.mjs'
import { fieldTable, FIELD_BEGIN, FIELD_END } from './field-table.mjs'
import { flagsTable, FLAGS_BEGIN, FLAGS_END } from './flags-table.mjs'
import { insightsTable, INSIGHTS_BEGIN, INSIGHTS_END } from './insights-table.mjs'
import { nodeTable, NODE_BEGIN, NODE_END } from './node-table.mjs'
import { planTable, PLAN_BEGIN, PLAN_END } from './plan-table.mjs'
import { scaleTable, SCALE_BEGIN, SCALE_END } from './scale-table.mjs'
import { queriesTable, QUERIES_BEGIN, QUERIES_END, siteTable, SITE_BEGIN, SITE_END } from './service-table.mjs'
import { simulationTable, SIMULATION_BEGIN, SIMULATION_END } from './simulation-table.mjs'
import { thousands, verdict } from './table.mjs'

/** The lines around the table in the README. */
export const NUMBERS_BEGIN = '<!-- numbers: written by `npm run bench` -->'
export const NUMBERS_END = '<!-- end of numbers -->'
export const SIZE_BEGIN = '<!-- size by part: written by `npm run bench` -->'
export const SIZE_END = '<!-- end of size by part -->'

/**
 * Formats the committed results of the service as the table of the README.
 *
 * @param {any} results The contents of results.json.
 */
export const numbersTable = ({ machine, service, decide }) => {
  const { single, batch, acknowledgedToQueryable } = service.small
  const rows = [
    [
      `single events acknowledged, ${single.connections} connections, indexer running`,
      `${thousands(single.durable.eventsPerSecond)}/s (${single.ratio} of the same without durability)`,
    ],
    [
      `events acknowledged in gzip batches of ${batch.eventsPerBatch}, ${batch.connections} connections, indexer running`,
      `${thousands(batch.durable.eventsPerSecond)}/s (${batch.ratio} of the same without durability)`,
    ],
    [
      'acknowledged to queryable, one event at a time',
      `p50 ${acknowledgedToQueryable.p50Ms} ms, p99 ${acknowledgedToQueryable.p99Ms} ms`,
    ],
    [
      `\`/decide\` of ${decide.flags} flags for persons whose properties are stored, ${decide.connections} connections`,
      `${thousands(decide.service.requestsPerSecond)}/s (${decide.ratio.toFixed(3)} of a bare \`node:http\` that reads the same body and answers the same bytes; goal ≥ 0.3: ${verdict(decide.ratio >= 0.3)}), p99 ${decide.service.p99Ms} ms (goal ≤ 10: ${verdict(decide.service.p99Ms <= 10)})`,
    ],
  ]
  const lines = rows.map(([what, value]) => `| ${what} | ${value} |`)
  const head = `| measured on ${machine.cores} cores, ${machine.memoryGiB} GiB, Node ${machine.node} | |`
  return [NUMBERS_BEGIN, '', head, '| --- | --- |', ...lines, '', NUMBERS_END].join('\n')
}

/**
 * Formats the parts of the script as the table of the README.
 *
 * @param {any} results The contents of results.json.
 */
export const sizeTable = ({ size: { parts } }) => {
  const lines = parts.map(({ part, bytes }) => `| ${part} | ${(bytes / 1000).toFixed(1)} KB |`)
  return [SIZE_BEGIN, '', '| part of the script | gzip |', '| --- | --- |', ...lines, '', SIZE_END].join('\n')
}

/** Replaces the parts of each README that show results, by its path. */
export const README_TABLES = {
  'test/bench/README.md': (readme, results) =>
    [
      [FIELD_BEGIN, FIELD_END, fieldTable(results.browser)],
      [FLAGS_BEGIN, FLAGS_END, flagsTable(results.flags)],
      [NODE_BEGIN, NODE_END, nodeTable(results.node)],
      [SIZE_BEGIN, SIZE_END, sizeTable(results)],
      [NUMBERS_BEGIN, NUMBERS_END, numbersTable(results)],
      [SITE_BEGIN, SITE_END, siteTable(results.service.site)],
      [QUERIES_BEGIN, QUERIES_END, queriesTable(results.queries)],
      [INSIGHTS_BEGIN, INSIGHTS_END, insightsTable(results.insights)],
      [SCALE_BEGIN, SCALE_END, scaleTable(results.scale)],
      [SIMULATION_BEGIN, SIMULATION_END, simulationTable(results)],
    ].reduce((text, [begin, end, table]) => replaced(text, begin, end, table), readme),
  'src/service/README.md': (readme, results) =>
    [
      [CAPACITY_BEGIN, CAPACITY_END, capacityTable(results)],
      [CHANGES_BEGIN, CHANGES_END, changesTable(results)],
    ].reduce((text, [begin, end, table]) => replaced(text, begin, end, table), readme),
  'src/service/operate/README.md': (readme, results) => replaced(readme, PLAN_BEGIN, PLAN_END, planTable(results)),
  'README.md': (readme, results) => replaced(readme, CAPACITY_BEGIN, CAPACITY_END, capacitySentence(results)),
}

const replaced = (readme, beginLine, endLine, table) => {
  const begin = readme.indexOf(beginLine)
  const end = readme.indexOf(endLine)
  if (begin < 0 || end < begin)
    throw new Error(`The README has no lines "${beginLine}" and "${endLine}" in this order.`)
  return readme.slice(0, begin) + table + readme.slice(end + endLine.length)
}
