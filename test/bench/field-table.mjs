import { SCRIPT_TAG } from './field/agents.mjs'
import { compareWithGoals } from './field/goals.mjs'
import { row, rule, thousands, times, verdict } from './table.mjs'

/** The comparison is between these two lines of the README. */
export const FIELD_BEGIN = '<!-- field: written by `npm run bench` -->'
export const FIELD_END = '<!-- end of field -->'

const kilobytes = (bytes) => (bytes / 1000).toFixed(1)

const tenths = (value) => value.toFixed(1)

/**
 * A column: heading, figure of an agent, and its text. A figure of which the ratio matters also shows that to ours.
 *
 * @typedef {[heading: string, figure: (agent: any) => number | undefined, text: (value: number) => string, isCompared?: true]} Column
 */

/** @type {readonly Column[]} */
const START_COLUMNS = [
  ['script, gzip KB', ({ window }) => window.scriptGzip, kilobytes],
  ['with all that it loads', ({ window }) => window.allScriptsGzip || undefined, kilobytes, true],
  ['official file', ({ officialGzip }) => officialGzip, kilobytes],
  ['main thread ms, 1.5 s @4x', ({ start }) => start.mainThreadMs, thousands, true],
  ['eval + init ms @4x', ({ start }) => start.initMs, tenths, true],
  ['longest task ms @4x', ({ longestTask }) => longestTask?.functionsMs, tenths],
  ['main thread ms, 1.5 s', ({ window }) => window.startMainThreadMs, thousands, true],
  ['7 s', ({ window }) => window.mainThreadMs, thousands, true],
  ['all threads, 7 s', ({ window }) => window.allThreadsMs, thousands],
  ['first flags ms', ({ firstFlags }) => firstFlags?.firstFlagsMs, thousands],
  ['first transaction ms: new database', ({ firstTransaction }) => firstTransaction?.coldMs, thousands],
  ['existing one', ({ firstTransaction }) => firstTransaction?.warmMs, thousands],
]

/** @type {readonly Column[]} */
const CAPTURE_COLUMNS = [
  ['`capture()` µs at 200/s: mean', ({ steady }) => steady.captureMeanMicroseconds, tenths],
  ['p99', ({ steady }) => steady.captureP99Microseconds, thousands],
  ['`capture()` µs in the burst: mean', ({ burst }) => burst.captureMeanMicroseconds, tenths],
  ['p99', ({ burst }) => burst.captureP99Microseconds, thousands],
  ['burst: long tasks', ({ burst }) => burst.longTasks, thousands],
  ['bytes per event', ({ steady }) => steady.bytesPerEvent, thousands, true],
  ['requests per 1,000', ({ steady }) => steady.requests, thousands],
]

/**
 * Formats the committed results of the browser bench as the tables of agents in the README, with a line for each goal.
 *
 * @param {any} browser The part `browser` of results.json.
 */
export const fieldTable = ({ chromium, loadAverage, agents }) => {
  const ours = agents.find(({ name }) => name === SCRIPT_TAG)
  const startCells = (agent) => [label(agent), ...cells(START_COLUMNS, agent, ours)]
  const captureCells = (agent) => [label(agent), ...cells(CAPTURE_COLUMNS, agent, ours), formatDelivered(agent.burst)]
  return [
    FIELD_BEGIN,
    '',
    ...table(['start', ...START_COLUMNS.map(([heading]) => heading)], agents.map(startCells)),
    '',
    ...table(
      ['events', ...CAPTURE_COLUMNS.map(([heading]) => heading), 'burst: delivered'],
      agents.filter(({ burst }) => burst).map(captureCells),
    ),
    '',
    `Chromium ${chromium}, load average ${tenths(loadAverage.before)} before and ${tenths(loadAverage.after)} after; "(2.0x)": twice ours.`,
    '',
    ...compareWithGoals(agents).map(
      ({ what, value, bound, isMet }) => `- ${what}: ${value}; goal ${bound}: ${verdict(isMet)}`,
    ),
    '',
    FIELD_END,
  ].join('\n')
}

const table = (headings, rows) => [row(headings), rule(headings), ...rows.map(row)]

/** Some names contain their version. */
const label = ({ name, version }) => (version && !/\d/.test(name) ? `${name} ${version}` : name)

const cells = (columns, agent, ours) =>
  columns.map(([, figure, text, isCompared]) => {
    const value = figure(agent)
    if (value === undefined) return '–'
    return isCompared && agent !== ours ? `${text(value)} (${times(value / figure(ours))})` : text(value)
  })

/** `captured` is smaller if the page could not make all calls in time. */
const formatDelivered = ({ captured, delivered: count, deliveredTwice }) => {
  const duplicates = deliveredTwice ? `, ${thousands(deliveredTwice)} twice` : ''
  return `${thousands(count)} of ${thousands(captured)}${duplicates}`
}
