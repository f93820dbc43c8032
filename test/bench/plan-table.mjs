import { inWords } from './capacity.mjs'
import { findNodeRate } from './scale/find-limits.mjs'
import { OUTAGE_HOURS, planInstallation, readPlanFigures, USED_SHARE } from './scale/plan-installation.mjs'
import { row, rule, thousands } from './table.mjs'

/** The lines around the text in the README. */
export const PLAN_BEGIN = '<!-- plan: written by `npm run bench` -->'
export const PLAN_END = '<!-- end of plan -->'

const SIZES = /** @type {const} */ ([
  [1e6, '10⁶'],
  [1e9, '10⁹'],
  [1e11, '10¹¹'],
])

/**
 * Formats what numbers of events per month need, and the formula.
 *
 * @param {any} results The contents of results.json. Without `scale` the text is left out.
 */
export const planTable = (results) => {
  if (results.scale === undefined) return [PLAN_BEGIN, PLAN_END].join('\n')
  const plans = SIZES.map(([eventsPerMonth]) => planInstallation(results, eventsPerMonth))
  const head = ['events per month', ...SIZES.map(([, name]) => name)]
  const line = (what, format) => [what, ...plans.map(format)]
  const rows = [
    line('events/s in the busiest hour, `r`', ({ eventsPerSecond }) => thousands(Math.ceil(eventsPerSecond))),
    line('one machine with its own files is enough', ({ fitsOneMachine }) => (fitsOneMachine ? 'yes' : 'no')),
    line('nodes of 2 cores, `n`', ({ nodes }) => thousands(nodes)),
    line('inbox disk of a node', ({ inboxBytesPerNode }) => inBytes(inboxBytesPerNode)),
    line('cores of ClickHouse', ({ clickHouseCores }) => thousands(Math.ceil(clickHouseCores))),
    line('disk of ClickHouse per month, one copy', ({ clickHouseBytesPerMonth }) => inBytes(clickHouseBytesPerMonth)),
    line('cores of PostgreSQL', ({ postgresCores }) => thousands(Math.ceil(postgresCores))),
    line('new persons per month', ({ newPersons }) => inWords(newPersons)),
    line('disk of PostgreSQL per month', ({ postgresBytesPerMonth }) => inBytes(postgresBytesPerMonth)),
  ]
  return [PLAN_BEGIN, '', row(head), rule(head), ...rows.map(row), '', ...describeFormula(results), '', PLAN_END].join(
    '\n',
  )
}

/** The formula of `planInstallation`, with the figures that it uses. */
const describeFormula = (results) => {
  const figures = readPlanFigures(results)
  const rate = thousands(findNodeRate(results.scale))
  const cost = ({ coresPerEvent, coresPerNode }) =>
    `r × ${toMicroseconds(coresPerEvent)} µs + n × ${round(coresPerNode)}`
  return [
    '```',
    'r = events per month / 2,592,000 s × 4                 the busiest hour has four times the mean',
    `n = max(3, r / (${rate}/s × ${USED_SHARE}) + 1)                 a node takes ${rate}/s; half is used, and one may be away`,
    `inbox disk of a node = r / (n − 1) × ${Math.round(figures.inboxBytesPerEvent)} bytes × ${OUTAGE_HOURS} h    what waits while the stores are away`,
    `cores of ClickHouse = (${cost(figures.clickHouse)}) / ${USED_SHARE}`,
    `cores of PostgreSQL = (${cost(figures.postgres)}) / ${USED_SHARE}`,
    `disk of ClickHouse = events × ${figures.clickHouseBytesPerEvent} bytes + new persons × ${figures.clickHouseBytesPerPerson} bytes`,
    `disk of PostgreSQL = new persons × ${figures.postgresBytesPerPerson} bytes         2 % of the events are the first of a person`,
    '```',
  ]
}

const toMicroseconds = (seconds) => round(seconds * 1e6)

const round = (value) => Number(value.toPrecision(2))

/** Rounded up to two digits. */
const inBytes = (bytes) => {
  const units = ['MB', 'GB', 'TB', 'PB']
  const megabytes = Math.max(1, bytes / 1e6)
  const index = Math.min(units.length - 1, Math.floor(Math.log10(megabytes) / 3))
  const value = megabytes / 1000 ** index
  const step = value < 10 ? 0.1 : 10 ** (Math.floor(Math.log10(value)) - 1)
  return `${Number((Math.ceil(value / step) * step).toFixed(1))} ${units[index]}`
}
