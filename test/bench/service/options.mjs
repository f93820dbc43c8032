/**
 * @typedef {object} ServiceBenchOptions
 * @property {number} events In the backlog, and in the store that is queried. 10,000 to 10,000,000.
 * @property {number} runs Of the backlog; the figures are medians.
 * @property {readonly number[]} persons Numbers of stored persons whose rates are compared.
 * @property {number} steadySeconds How long events are sent at the steady rate.
 * @property {number} queryRuns Of each query.
 */

const QUERY_RUNS = 20

/** The size of the goals. Takes about an hour. */
const FULL = { events: 10_000_000, runs: 1, persons: [10_000, 1_000_000], steadySeconds: 300, queryRuns: QUERY_RUNS }

/** @type {ServiceBenchOptions} */
const DEFAULTS = { events: 1_000_000, runs: 3, persons: [10_000, 200_000], steadySeconds: 60, queryRuns: QUERY_RUNS }

/** The command line of the service benches, for `parseArgs`. */
export const SERVICE_BENCH_ARGUMENTS = /** @type {const} */ ({
  full: { type: 'boolean' },
  events: { type: 'string' },
  runs: { type: 'string' },
  persons: { type: 'string' },
  seconds: { type: 'string' },
})

/**
 * Reads the options of the service benches. Throws if one is not a number within its bounds.
 *
 * @param {Readonly<Partial<Record<'events' | 'runs' | 'persons' | 'seconds', string>> & { full?: boolean }>} values
 * @returns {ServiceBenchOptions}
 */
export const readServiceBenchOptions = ({ full = false, events, runs, persons, seconds }) => {
  const defaults = full ? FULL : DEFAULTS
  return {
    events: readCount('--events', events, 10_000, 10_000_000) ?? defaults.events,
    runs: readCount('--runs', runs, 1, 100) ?? defaults.runs,
    persons: persons?.split(',').map((count) => readCount('--persons', count, 1000, 10_000_000)) ?? defaults.persons,
    steadySeconds: readCount('--seconds', seconds, 5, 3600) ?? defaults.steadySeconds,
    queryRuns: defaults.queryRuns,
  }
}

/** An integer option. Throws if it is not within its bounds; undefined if it is not set. */
export const readCount = (name, text, min, max) => {
  if (text === undefined) return undefined
  const count = Number(text)
  if (!Number.isInteger(count) || count < min || count > max)
    throw new Error(`${name} must be an integer from ${min} to ${max}, not "${text}".`)
  return count
}
