import { fileURLToPath } from 'node:url'
import { installField } from './field/install.mjs'
import { listPackages } from './node/packages.mjs'
import { measurePackage } from './node/measure-package.mjs'
import { summarizeRounds } from './node/summarize-rounds.mjs'

/**
 * Measures what Node agents cost a process and how many events they lose. Each measurement uses a new process and a sink in another one.
 * Each round measures all packages, so that other load on the machine affects all of them.
 */

/**
 * Rows by the key of their results; `file` is in `node/rows`, `rounds` is for a full run. `isParallel`: the row measures no speed, so all
 * packages run concurrently. `isRepeated`: whether a package with this result is measured in the next rounds too. A package that loses
 * events takes much longer and would lose them again.
 *
 * @typedef {{ file: string, rounds: number, isParallel?: boolean, isRepeated?: (result: any) => boolean }} Row
 * @type {Record<string, Row>}
 */
const ROWS = {
  captureTime: { file: 'capture-time', rounds: 3 },
  yieldingLoop: { file: 'yielding-loop', rounds: 3 },
  flood: { file: 'flood', rounds: 3, isRepeated: ({ delivered, captured }) => delivered === captured },
  drain: { file: 'drain', rounds: 3 },
  naturalExit: { file: 'natural-exit', rounds: 3 },
  processExit: { file: 'process-exit', rounds: 3, isParallel: true },
  kill: { file: 'kill', rounds: 3, isParallel: true },
  outage: { file: 'outage', rounds: 1, isParallel: true },
}

const measureRow = async (packages, { file, isParallel, isRepeated = () => true }, rounds) => {
  const results = new Map(packages.map((packageInfo) => [packageInfo, []]))
  const measureNext = async (packageInfo) => {
    const measured = results.get(packageInfo)
    if (measured.every(isRepeated)) measured.push(await measurePackage(file, packageInfo))
  }
  for (let round = 0; round < rounds; round++) {
    if (isParallel) await Promise.all(packages.map(measureNext))
    else for (const packageInfo of packages) await measureNext(packageInfo)
  }
  return packages.map((packageInfo) => summarizeRounds(results.get(packageInfo)))
}

/**
 * @typedef {object} NodeBenchOptions
 * @property {number} [maxRounds] Default: all rounds of each row.
 * @property {(row: string) => boolean} [isSelectedRow] Default: all rows.
 * @property {(packageInfo: { name: string }) => boolean} [isSelectedPackage] Default: all packages.
 */

/**
 * A full run takes about eight minutes.
 *
 * @param {NodeBenchOptions} [options]
 */
export const runNodeBench = async ({
  maxRounds = Infinity,
  isSelectedRow = () => true,
  isSelectedPackage = () => true,
} = {}) => {
  const packages = (await listPackages(await installField())).filter(isSelectedPackage)
  const figures = packages.map(({ name, version, way }) => ({ name, version, way }))
  for (const [key, row] of Object.entries(ROWS)) {
    if (!isSelectedRow(key)) continue
    const startedAt = performance.now()
    const measured = await measureRow(packages, row, Math.min(maxRounds, row.rounds))
    for (const [index, result] of measured.entries()) figures[index][key] = result
    console.log(`  ${key}: ${Math.round((performance.now() - startedAt) / 1000)} s`)
  }
  return { packages: figures }
}

/** `node test/bench/node.mjs [rounds] [rows, comma-separated] [packages, comma-separated]` runs a part and writes no results. */
if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [rounds, rows, names] = process.argv.slice(2)
  const isIn = (list) => (list ? (value) => list.split(',').includes(value) : () => true)
  const options = {
    maxRounds: Number(rounds) || undefined,
    isSelectedRow: isIn(rows),
    isSelectedPackage: ({ name }) => isIn(names)(name),
  }
  console.log(JSON.stringify(await runNodeBench(options), null, 2))
}
