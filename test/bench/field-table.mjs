import { EMPTY_PAGE, SCRIPT_TAG } from './field/agents.mjs'
import { row, rule, thousands, times, verdict } from './table.mjs'

/** The comparison is between these two lines of the README. */
export const FIELD_BEGIN = '<!-- field: written by `npm run bench` -->'
export const FIELD_END = '<!-- end of field -->'

const kilobytes = (bytes) => (bytes / 1000).toFixed(1)

const fixed = (value) => value.toFixed(1)

/**
 * The design's goals for the agent: name, limit, whether it is met, and the measured value as text.
 *
 * @type {readonly [string, string, (agent: any) => boolean, (agent: any) => string][]}
 */
const GOALS = [
  ['script, gzip', '≤ 10 KB', ({ bytes }) => bytes.gzip <= 10_000, ({ bytes }) => `${kilobytes(bytes.gzip)} KB`],
  [
    'eval + init, 4x CPU throttle',
    '≤ 8 ms',
    ({ start }) => start.initMs <= 8,
    ({ start }) => `${fixed(start.initMs)} ms`,
  ],
  [
    '`capture()`, mean',
    '≤ 15 µs',
    ({ burst }) => burst.captureMeanMicroseconds <= 15,
    ({ burst, steady }) =>
      `${fixed(burst.captureMeanMicroseconds)} µs in the burst, ${fixed(steady.captureMeanMicroseconds)} µs at 200/s`,
  ],
  ['long tasks in the burst', 'none', ({ burst }) => !burst.longTasks, ({ burst }) => `${burst.longTasks}`],
  [
    'delivered of the burst',
    'all',
    ({ burst }) => burst.delivered === burst.captured,
    ({ burst }) => `${thousands(burst.delivered)} of ${thousands(burst.captured)}`,
  ],
  [
    'long tasks after and with 5,000 captures in one task',
    'at most one, of 100 ms',
    ({ oneTask }) => oneTask.longTasks <= 1 && oneTask.longestTaskMs <= 100,
    ({ oneTask }) => `${oneTask.longTasks}, the longest ${thousands(oneTask.longestTaskMs)} ms`,
  ],
  [
    'bytes per event on the wire, headers included',
    '≤ 58',
    ({ steady }) => steady.bytesPerEvent <= 58,
    ({ steady }) => fixed(steady.bytesPerEvent),
  ],
]

/** @type {readonly [string, (agent: any) => number | undefined, (value: number) => string][]} */
const COLUMNS = [
  ['bundle, gzip KB', ({ bytes }) => bytes.gzip, kilobytes],
  ['official file, gzip KB', ({ bytes }) => bytes.officialGzip, kilobytes],
  ['eval + init ms @4x', ({ start }) => start.initMs, fixed],
  ['main thread, first 1.5 s, ms @4x', ({ start }) => start.mainThreadMs, thousands],
  ['`capture()` µs at 200/s: mean', ({ steady }) => steady?.captureMeanMicroseconds, fixed],
  ['p99', ({ steady }) => steady?.captureP99Microseconds, thousands],
  ['`capture()` µs in the burst: mean', ({ burst }) => burst?.captureMeanMicroseconds, fixed],
  ['p99', ({ burst }) => burst?.captureP99Microseconds, thousands],
  ['burst: long tasks', ({ burst }) => burst?.longTasks, thousands],
  ['bytes per event', ({ steady }) => steady?.bytesPerEvent, thousands],
  ['requests per 1,000', ({ steady }) => steady?.requests, thousands],
]

/** Columns that also show the ratio to ours. */
const WITH_RATIO = new Set(['bundle, gzip KB', 'eval + init ms @4x', 'bytes per event'])

/**
 * Formats the committed results of the browser bench as the table of agents in the README, with a line for each goal.
 *
 * @param {any} browser The part `browser` of results.json.
 */
export const fieldTable = ({ chromium, agents, emptyPage }) => {
  const ours = agents.find(({ name }) => name === SCRIPT_TAG)
  const cells = (agent) => [
    /\d/.test(agent.name) ? agent.name : `${agent.name} ${agent.version}`,
    ...COLUMNS.map(([heading, figure, text]) => {
      const value = figure(agent)
      if (value === undefined) return '–'
      const isCompared = WITH_RATIO.has(heading) && agent !== ours
      return isCompared ? `${text(value)} (${times(value / figure(ours))})` : text(value)
    }),
    agent.burst ? formatDelivered(agent.burst) : '–',
  ]
  const headings = ['agent', ...COLUMNS.map(([heading]) => heading), 'burst: delivered']
  const goals = GOALS.map(
    ([what, bound, isMet, text]) => `- ${what}: ${text(ours)}; goal ${bound}: ${verdict(isMet(ours))}`,
  )
  return [
    FIELD_BEGIN,
    '',
    row(headings),
    rule(headings),
    ...agents.map((agent) => row(cells(agent))),
    '',
    `Chromium ${chromium}; "(2x)": twice ours. The ${EMPTY_PAGE} itself: ${fixed(emptyPage.initMs)} ms and ${thousands(emptyPage.mainThreadMs)} ms.`,
    '',
    ...goals,
    '',
    FIELD_END,
  ].join('\n')
}

/** `captured` is smaller if the page could not make all calls in time. */
const formatDelivered = ({ captured, delivered: count, deliveredTwice }) => {
  const duplicates = deliveredTwice ? `, ${thousands(deliveredTwice)} twice` : ''
  return `${thousands(count)} of ${thousands(captured)}${duplicates}`
}
