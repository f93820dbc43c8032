import { DURABLE, OURS } from './node/packages.mjs'
import { row, rule, thousands, times, verdict } from './table.mjs'

/** Where the README holds the comparison of agents for servers: between these two lines. */
export const NODE_BEGIN = '<!-- node: written by `npm run bench` -->'
export const NODE_END = '<!-- end of node -->'

/**
 * What the design asks of the agent: what, its bound, whether it is met and the figure's text; `durable` is the same agent with `persistenceDir`.
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
    ({ ours: { yieldingLoop } }) => isWhole(yieldingLoop) && yieldingLoop.eventsPerSecond >= 100_000,
    ({ ours: { yieldingLoop } }) => `${share(yieldingLoop)}, ${thousands(yieldingLoop.eventsPerSecond)}/s`,
  ],
  [
    '200,000 captured in one loop',
    'every one delivered or reported as dropped, ≤ 300 MB',
    ({ ours: { flood } }) => flood.accounted === flood.captured && flood.peakBytes <= 300e6,
    ({ ours: { flood } }) =>
      `${thousands(flood.delivered)} delivered, ${thousands(flood.reported)} reported, ${megabytes(flood.peakBytes)} MB`,
  ],
  ['60 s of 503', 'none lost', ({ ours }) => isWhole(ours.outage), ({ ours }) => share(ours.outage)],
  [
    'end of the program without `shutdown()`',
    'none lost',
    ({ ours }) => isWhole(ours.naturalExit),
    ({ ours }) => share(ours.naturalExit),
  ],
  [
    `\`process.exit()\` with \`${DURABLE}\``,
    'none lost',
    ({ durable }) => isWhole(durable.processExit),
    ({ durable }) => share(durable.processExit),
  ],
  [
    `\`kill -9\` with \`${DURABLE}\``,
    'none lost',
    ({ durable }) => isWhole(durable.kill),
    ({ durable }) => share(durable.kill),
  ],
]

/** The figure, and how many times ours it is. */
const compared = (figure, text) => (agent, ours) => {
  const value = figure(agent)
  return agent.name === OURS ? text(value) : `${text(value)} (${times(value / figure(ours))})`
}

const megabytes = (bytes) => thousands(bytes / 1e6)

const tenths = (value) => value.toFixed(1)

const hundredths = (value) => value.toFixed(2)

/**
 * Heading, and the text of an agent's cell.
 *
 * @type {readonly [string, (agent: any, ours: any) => string][]}
 */
const COLUMNS = [
  ['`capture()` µs: p50', ({ captureTime }) => hundredths(captureTime.p50Microseconds)],
  ['p99', ({ captureTime }) => tenths(captureTime.p99Microseconds)],
  ['events/s', ({ yieldingLoop }) => `${thousands(yieldingLoop.eventsPerSecond)}${unlessWhole(yieldingLoop)}`],
  ['CPU s per 100,000', compared(({ yieldingLoop }) => yieldingLoop.cpuSecondsPer100k, hundredths)],
  ['bytes per event', compared(({ yieldingLoop }) => yieldingLoop.bytesPerEvent, thousands)],
  ['drain of 10,000, ms', ({ drain }) => `${thousands(drain.drainMs)}${unlessWhole(drain)}`],
  ['200,000 in one loop: delivered', ({ flood }) => thousands(flood.delivered)],
  ['reported as dropped', ({ flood }) => thousands(flood.reported)],
  ['peak MB', compared(({ flood }) => flood.peakBytes, megabytes)],
  ['60 s of 503', ({ outage }) => share(outage)],
  ['end without `shutdown()`', ({ naturalExit }) => `${share(naturalExit)}, ${tenths(naturalExit.heldSeconds)} s`],
  ['`process.exit()`, start', ({ processExit }) => share(processExit)],
  ['`kill -9`, start', ({ kill }) => share(kill)],
]

/**
 * The committed results of the node bench as the README's table, and a line for each goal.
 *
 * @param {any} node What `npm run bench` has written to results.json under `node`.
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

const isWhole = ({ delivered, captured }) => delivered === captured

const share = ({ delivered, captured, deliveredTwice }) => {
  const more = deliveredTwice ? `, ${thousands(deliveredTwice)} twice` : ''
  return `${thousands(delivered)} of ${thousands(captured)}${more}`
}

const unlessWhole = (result) => (isWhole(result) ? '' : ` (${share(result)})`)
