import { availableParallelism } from 'node:os'
import { runSiteBench } from './service/site-bench.mjs'
import { runSmallBench } from './service/small-bench.mjs'

/** The goals and the capacity of larger machines (`capacity.mjs`) are for this number of cores. */
const CORES = 2

/**
 * Measures the built service with small events that are all alike, and with events as sites send them. Rejects on a machine with another
 * number of cores.
 *
 * @param {import('./service/options.mjs').ServiceBenchOptions} options
 */
export const runServiceBench = async (options) => {
  if (availableParallelism() !== CORES)
    throw new Error(`The service is measured on ${CORES} cores. Use: taskset -c 0,1 npm run bench -- service`)
  return { small: await runSmallBench(), site: await runSiteBench(options) }
}
