import { describeRuns } from './service-table.mjs'
import { row, rule, thousands, verdict } from './table.mjs'

/** The lines around the table in the README. */
export const INSIGHTS_BEGIN = '<!-- insights: written by `npm run bench` -->'
export const INSIGHTS_END = '<!-- end of insights -->'

/** How much longer an acknowledgement may take while questions are asked. */
const MAX_ACKNOWLEDGEMENT_RISE = 1.5

/**
 * Formats the times of insights, beside those of ClickHouse.
 *
 * @param {any} insights The part `insights` of results.json; undefined if it has not been measured: the table is then left out.
 */
export const insightsTable = (insights) => {
  if (insights === undefined) return [INSIGHTS_BEGIN, INSIGHTS_END].join('\n')
  const { acknowledgement, clickHouse, eventCount, days } = insights
  const head = [
    `${thousands(eventCount)} events over ${thousands(days)} days; ${describeRuns(insights)}`,
    'first run, ms',
    'p50',
    'p95',
    'while events arrive: p50',
    'p95',
    'goal for 10 million',
    `ClickHouse ${clickHouse.version}: first run`,
    'p50',
    'p95',
  ]
  return [
    INSIGHTS_BEGIN,
    '',
    row(head),
    rule(head),
    ...insights.questions.map((question) => row(toCells(question))),
    '',
    `"(2.0x)": twice ours, alone. On disk ClickHouse takes ${clickHouse.bytesPerEvent} bytes per event.`,
    '',
    describeAcknowledgement(acknowledgement),
    '',
    INSIGHTS_END,
  ].join('\n')
}

const toCells = ({ name, goalMs, alone, whileEventsArrive: arriving, clickHouse }) => {
  const error = alone.error ?? arriving.error
  const isMet = error === undefined && arriving.p95Ms <= goalMs
  const compared = (other, ours) =>
    `${thousands(other)}${ours === undefined ? '' : ` (${Number((other / ours).toPrecision(2))}x)`}`
  return [
    name,
    ...(error === undefined
      ? [alone.firstMs, alone.p50Ms, alone.p95Ms, arriving.p50Ms, arriving.p95Ms].map(thousands)
      : ['refused', `\`${error.split('\n')[0]}\``, '', '', '']),
    `≤ ${thousands(goalMs)}: ${verdict(isMet)}`,
    compared(clickHouse.firstMs, alone.firstMs),
    compared(clickHouse.p50Ms, alone.p50Ms),
    compared(clickHouse.p95Ms, alone.p95Ms),
  ]
}

const describeAcknowledgement = ({ eventsPerSecond, quiet, asking }) => {
  const rise = asking.p99Ms / quiet.p99Ms
  return (
    `Acknowledgement at ${thousands(eventsPerSecond)} events/s, p99: ${quiet.p99Ms} ms without questions, ${asking.p99Ms} ms while they ` +
    `are asked, ${rise.toFixed(2)} times as long; goal ≤ ${MAX_ACKNOWLEDGEMENT_RISE}: ${verdict(rise <= MAX_ACKNOWLEDGEMENT_RISE)}`
  )
}
