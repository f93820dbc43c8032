import { findIndexer, readCpuMicroseconds, readFamilyCpuMicroseconds } from '../service/process-figures.mjs'

/** @import { Cluster } from './open-cluster.mjs' */

/** The parts of an installation with several nodes, and the clients of the bench, which share the machine. */
const PARTS = /** @type {const} */ (['front', 'indexer', 'postgres', 'clickHouse', 'clients'])

/** @typedef {Record<typeof PARTS[number], number>} PartFigures */

const sum = (values) => values.reduce((total, value) => total + value, 0)

/**
 * CPU microseconds that each part has used so far: the fronts and the indexers of all nodes together.
 *
 * @param {Cluster} cluster
 * @returns {PartFigures}
 */
export const readCpuOfParts = ({ nodes, postgresPid, clickHousePid }) => {
  const { user, system } = process.cpuUsage()
  return {
    front: sum(nodes.map(({ pid }) => readCpuMicroseconds(pid))),
    indexer: sum(nodes.map(({ pid }) => readCpuMicroseconds(findIndexer(pid)))),
    postgres: readFamilyCpuMicroseconds(postgresPid),
    clickHouse: readCpuMicroseconds(clickHousePid),
    clients: user + system,
  }
}

/**
 * What each part has used between two readings: microseconds per event, and cores.
 *
 * @param {PartFigures} before
 * @param {PartFigures} after
 * @param {number} eventCount
 * @param {number} durationMs
 */
export const compareCpu = (before, after, eventCount, durationMs) => {
  const eachPart = (/** @type {(microseconds: number) => string} */ format) =>
    Object.fromEntries(PARTS.map((part) => [part, Number(format(after[part] - before[part]))]))
  return {
    cpuPerEvent: eachPart((microseconds) => (microseconds / eventCount).toFixed(1)),
    cores: eachPart((microseconds) => (microseconds / (durationMs * 1000)).toFixed(2)),
  }
}
