import { DURABLE, OURS } from './node/packages.mjs'
import { row, rule, thousands, times, verdict } from './table.mjs'

/** The comparison of Node agents is between these two lines of the README. */
export const NODE_BEGIN = '<!-- node: written by `npm run bench` -->'
export const NODE_END = '<!-- end of node -->'

/**
 * The design's goals for the agent: name, limit, whether it is met, and the measured value as text. `durable` is our agent with
 * `persistenceDir`.
 *
 * @type {readonly [string, string, (agents: any) => boolean, (agents: any) => string][]}
 */
const GOALS = [
  [
    '`capture()`, p50',
    '≤ 2 µs',
    ({ ours }) => ours.captureTime.p50Microseconds <= 2,
    ({ ours }) => `${hundredths(ours.captureTime.p50Microseconds)} µs`,
  ],
  [
    'delivered from a loop that yields',
    'all, ≥ 100,000/s',
    ({ ours: { yieldingLoop } }) => isComplete(yieldingLoop) && yieldingLoop.eventsPerSecond >= 100_000,
    ({ ours: { yieldingLoop } }) => `${share(yieldingLoop)}, ${thousands(yieldingLoop.eventsPerSecond)}/s`,
  ],
  [
    '200,000 captured in one loop',
    'every one delivered or reported as dropped, ≤ 300 MB',
    ({ ours: { flood } }) => flood.accounted === flood.captured && flood.peakBytes <= 300e6,
    ({ ours: { flood } }) =>
      `${thousands(flood.delivered)} delivered, ${thousands(flood.reported)} reported, ${megabytes(flood.peakBytes)} MB`,
  ],
  ['60 s of 503', 'none lost', ({ ours }) => isComplete(ours.outage), ({ ours }) => share(ours.outage)],
  [
    'end of the program without `shutdown()`',
    'none lost',
    ({ ours }) => isComplete(ours.naturalExit),
    ({ ours }) => share(ours.naturalExit),
  ],
  [
    `\`process.exit()\` with \`${DURABLE}\``,
    'none lost',
    ({ durable }) => isComplete(durable.processExit),
    ({ durable }) => share(durable.processExit),
  ],
  [
    `\`kill -9\` with \`${DURABLE}\``,
    'none lost',
    ({ durable }) => isComplete(durable.kill),
    ({ durable }) => share(durable.kill),
  ],
]

/** Formats a figure with its ratio to ours. */
const compared = (figure, text) => (agent, ours) => {
  const value = figure(agent)
  return agent.name === OURS ? text(value) : `${text(value)} (${times(value / figure(ours))})`
}

const megabytes = (bytes) => thousands(bytes / 1e6)

const tenths = (value) => value.toFixed(1)

const hundredths = (value) => value.toFixed(2)

/**
 * Heading, and the function that formats the cell of an agent.
 *
 * @type {readonly [string, (agent: any, ours: any) => string][]}
 */
const COLUMNS = [
  ['`capture()` µs: p50', ({ captureTime }) => hundredths(captureTime.p50Microseconds)],
  ['p99', ({ captureTime }) => tenths(captureTime.p99Microseconds)],
  ['events/s', ({ yieldingLoop }) => `${thousands(yieldingLoop.eventsPerSecond)}${unlessComplete(yieldingLoop)}`],
  ['CPU s per 100,000', compared(({ yieldingLoop }) => yieldingLoop.cpuSecondsPer100k, hundredths)],
  ['bytes per event', compared(({ yieldingLoop }) => yieldingLoop.bytesPerEvent, thousands)],
  ['drain of 10,000, ms', ({ drain }) => `${thousands(drain.drainMs)}${unlessComplete(drain)}`],
  ['200,000 in one loop: delivered', ({ flood }) => thousands(flood.delivered)],
  ['reported as dropped', ({ flood }) => thousands(flood.reported)],
  ['peak MB', compared(({ flood }) => flood.peakBytes, megabytes)],
  ['60 s of 503', ({ outage }) => share(outage)],
  ['end without `shutdown()`', ({ naturalExit }) => `${share(naturalExit)}, ${tenths(naturalExit.heldSeconds)} s`],
  ['`process.exit()`, start', ({ processExit }) => share(processExit)],
  ['`kill -9`, start', ({ kill }) => share(kill)],
]

/**
 * Formats the committed results of the node bench as the table of the README, with a line for each goal.
 *
 * @param {any} node The part `node` of results.json.
 */
export const nodeTable = ({ packages }) => {
  const ours = packages.find(({ name, way }) => name === OURS && !way)
  const durable = packages.find(({ name, way }) => name === OURS && way === DURABLE)
  const headings = ['agent', ...COLUMNS.map(([heading]) => heading)]
  return [
    NODE_BEGIN,
    '',
    row(headings),
    rule(headings),
    ...packages.map((agent) => row([label(agent), ...COLUMNS.map(([, text]) => text(agent, ours))])),
    '',
    ...GOALS.map(
      ([what, bound, isMet, text]) =>
        `- ${what}: ${text({ ours, durable })}; goal ${bound}: ${verdict(isMet({ ours, durable }))}`,
    ),
    '',
    NODE_END,
  ].join('\n')
}

const label = ({ name, version, way }) => `${name} ${version}${way ? `, \`${way}\`` : ''}`

const isComplete = ({ delivered, captured }) => delivered === captured

const share = ({ delivered, captured, deliveredTwice }) => {
  const duplicates = deliveredTwice ? `, ${thousands(deliveredTwice)} twice` : ''
  return `${thousands(delivered)} of ${thousands(captured)}${duplicates}`
}

const unlessComplete = (result) => (isComplete(result) ? '' : ` (${share(result)})`)
