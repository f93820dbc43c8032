import { availableParallelism, loadavg } from 'node:os'
import { measureNodes } from './scale/measure-nodes.mjs'

/** The figures are for this number of cores. */
const CORES = 2

/**
 * Measures nodes of the built service that share one PostgreSQL and one ClickHouse, all on this machine, with events as sites send them
 * (`service/site-load.mjs`).
 *
 * @param {import('./scale/options.mjs').ScaleBenchOptions} options
 */
export const runScaleBench = async (options) => {
  if (availableParallelism() !== CORES)
    throw new Error(`The nodes are measured on ${CORES} cores. Use: taskset -c 0,1 npm run bench -- scale`)
  // Tells whether other programs used the machine.
  const loadBefore = Number(loadavg()[0].toFixed(1))
  const results = []
  for (const nodeCount of options.nodeCounts) results.push(await measureNodes(nodeCount, options))
  // These differ little between the numbers of nodes.
  const [{ versions, stored }] = results
  return { ...options, loadBefore, versions, nodes: results.map(({ figures }) => figures), stored }
}
