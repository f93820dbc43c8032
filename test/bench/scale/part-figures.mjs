import {
  findIndexer,
  readCpuMicroseconds,
  readFamilyCpuMicroseconds,
  readMachineCpuMicroseconds,
} from '../service/process-figures.mjs'

/** @import { Cluster } from './open-cluster.mjs' */

/** The parts of an installation with several nodes, and the clients of the bench, which share the machine. */
const PARTS = /** @type {const} */ (['front', 'indexer', 'postgres', 'clickHouse', 'clients'])

/** @typedef {Record<typeof PARTS[number] | 'machine', number>} CpuReading */

const sum = (values) => values.reduce((total, value) => total + value, 0)

/**
 * CPU microseconds that each part has used so far, the fronts and the indexers of all nodes together, and the machine with all programs.
 *
 * @param {Cluster} cluster
 * @returns {CpuReading}
 */
export const readCpuOfParts = ({ nodes, postgresPid, clickHousePid }) => {
  const { user, system } = process.cpuUsage()
  return {
    front: sum(nodes.map(({ pid }) => readCpuMicroseconds(pid))),
    indexer: sum(nodes.map(({ pid }) => readCpuMicroseconds(findIndexer(pid)))),
    postgres: readFamilyCpuMicroseconds(postgresPid),
    clickHouse: readCpuMicroseconds(clickHousePid),
    clients: user + system,
    machine: readMachineCpuMicroseconds(),
  }
}

/**
 * What each part has used between two readings: microseconds per event, and cores. `others` are the cores that other programs have used, and
 * the kernel for none in particular.
 *
 * @param {CpuReading} before
 * @param {CpuReading} after
 * @param {number} eventCount
 * @param {number} durationMs
 */
export const compareCpu = (before, after, eventCount, durationMs) => {
  const used = (part) => after[part] - before[part]
  const toCores = (microseconds) => Number((microseconds / (durationMs * 1000)).toFixed(2))
  const eachPart = (format) => Object.fromEntries(PARTS.map((part) => [part, format(used(part))]))
  return {
    cpuPerEvent: eachPart((microseconds) => Number((microseconds / eventCount).toFixed(1))),
    cores: { ...eachPart(toCores), others: Math.max(0, toCores(used('machine') - sum(PARTS.map(used)))) },
  }
}
