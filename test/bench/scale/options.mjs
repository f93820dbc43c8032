import { readCount } from '../service/options.mjs'

/**
 * @typedef {object} ScaleBenchOptions
 * @property {readonly number[]} nodeCounts Numbers of nodes that are compared.
 * @property {number} events In each of two measurements per number of nodes: 1,000 to 1,000,000.
 * @property {number} persons Stored before. Further ones come with the events.
 * @property {number} steadyPerSecond Rate at which the delay until an event is queryable is measured.
 * @property {number} steadySeconds For how long.
 */

/** Takes about five minutes. */
const DEFAULTS = { nodeCounts: [1, 2, 4], events: 60_000, persons: 10_000, steadyPerSecond: 500, steadySeconds: 20 }

/** The command line of the bench, for `parseArgs`, without `seconds`, which is one of the service benches, too. */
export const SCALE_BENCH_ARGUMENTS = /** @type {const} */ ({
  nodes: { type: 'string' },
  'node-events': { type: 'string' },
  rate: { type: 'string' },
})

/**
 * Reads the options of the bench of several nodes. Throws if one is not a number within its bounds.
 *
 * @param {Readonly<Partial<Record<'nodes' | 'node-events' | 'rate' | 'seconds', string>>>} values
 * @returns {ScaleBenchOptions}
 */
export const readScaleBenchOptions = ({ nodes, rate, seconds, ...values }) => ({
  nodeCounts: nodes?.split(',').map((count) => readCount('--nodes', count, 1, 16)) ?? DEFAULTS.nodeCounts,
  events: readCount('--node-events', values['node-events'], 1000, 1_000_000) ?? DEFAULTS.events,
  persons: DEFAULTS.persons,
  steadyPerSecond: readCount('--rate', rate, 10, 100_000) ?? DEFAULTS.steadyPerSecond,
  steadySeconds: readCount('--seconds', seconds, 5, 3600) ?? DEFAULTS.steadySeconds,
})
