import { findNodeRate } from '../scale/find-limits.mjs'
import { readInboxBytesPerEvent, USED_SHARE } from '../scale/plan-installation.mjs'
import { simulate } from './simulate.mjs'

/** @import { Fault, Installation } from './simulate.mjs' */

export const NODES = 100

const MINUTE = 60
const HOUR = 60 * MINUTE
const FAULT_AT = 5 * MINUTE
const GIB = 2 ** 30

/** The default of `--inbox-limit-bytes`. */
const INBOX_LIMIT_BYTES = 4 * GIB

/**
 * @typedef {object} Scenario
 * @property {string} name
 * @property {readonly Fault[]} faults
 * @property {Partial<Installation>} [differences]
 */

/** @type {Fault} */
const AWAY_FOR_AN_HOUR = { kind: 'store', from: FAULT_AT, until: FAULT_AT + HOUR, share: 0 }
/** @type {Fault} */
const AWAY_FOR_TEN_MINUTES = { kind: 'store', from: FAULT_AT, until: FAULT_AT + 10 * MINUTE, share: 0 }

/** @type {readonly Scenario[]} */
const SCENARIOS = [
  { name: 'nothing fails', faults: [] },
  {
    name: 'one node ends for ever; its inbox is drained half an hour later',
    faults: [{ kind: 'node', at: FAULT_AT, count: 1, drainedAt: FAULT_AT + 30 * MINUTE }],
  },
  {
    name: '30 nodes end at once; their inboxes are drained half an hour later',
    faults: [{ kind: 'node', at: FAULT_AT, count: 30, drainedAt: FAULT_AT + 30 * MINUTE }],
  },
  { name: 'a store is away for ten minutes', faults: [AWAY_FOR_TEN_MINUTES] },
  { name: 'a store is away for an hour', faults: [AWAY_FOR_AN_HOUR] },
  {
    name: 'the same with `--inbox-limit-bytes` of 1 GiB',
    faults: [AWAY_FOR_AN_HOUR],
    differences: { inboxLimitBytes: GIB },
  },
  {
    name: 'a store takes only 80 % of what arrives, for an hour',
    faults: [{ kind: 'store', from: FAULT_AT, until: FAULT_AT + HOUR, share: 0.8 * USED_SHARE }],
  },
  {
    name: 'a store is away for ten minutes, and at their end a node is lost with its disk',
    faults: [AWAY_FOR_TEN_MINUTES, { kind: 'node', at: FAULT_AT + 10 * MINUTE, count: 1 }],
  },
]

/**
 * Simulates 100 nodes with the measured rates. They get half of what they and their stores can take, as the plan of an installation has it.
 *
 * @param {any} results The contents of results.json.
 */
export const simulateScenarios = (results) => {
  const nodeRate = Math.round(findNodeRate(results.scale))
  const arrivalsPerSecond = Math.round(NODES * nodeRate * USED_SHARE)
  const [alone] = results.scale.nodes
  const installation = {
    nodes: NODES,
    seconds: 2 * HOUR + 20 * MINUTE,
    arrivalsPerSecond,
    acknowledgedPerSecond: Math.round(1e6 / alone.together.cpuPerEvent.front),
    indexedPerSecond: nodeRate,
    storedPerSecond: Math.round(arrivalsPerSecond / USED_SHARE),
    inboxBytesPerEvent: Math.round(readInboxBytesPerEvent(results)),
    inboxLimitBytes: INBOX_LIMIT_BYTES,
  }
  return {
    installation,
    scenarios: SCENARIOS.map(({ name, faults, differences }) => ({
      name,
      result: simulate(Object.assign({}, installation, differences, { faults })),
    })),
  }
}
