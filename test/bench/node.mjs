import { fileURLToPath } from 'node:url'
import { installField } from './field/install.mjs'
import { foundPackages } from './node/packages.mjs'
import { onStage } from './node/stage.mjs'
import { summaryOf } from './node/summary.mjs'

/**
 * What agents cost a server and what they lose, each time in a process of its own that talks to a sink in another: every round all packages in
 * turn, so that what else the machine does meets all of them.
 */

/**
 * By the name of their results; `file` is in `node/rows`. `rounds`: of a full run. `sideBySide`: what it measures is no speed, so all packages run at
 * once. `repeated`: whether a package with this result is measured in the next rounds too; one that loses events has taken the time of several,
 * and loses them again.
 *
 * @typedef {{ file: string, rounds: number, sideBySide?: boolean, repeated?: (result: any) => boolean }} Row
 * @type {Record<string, Row>}
 */
const ROWS = {
  captureTime: { file: 'capture-time', rounds: 3 },
  yieldingLoop: { file: 'yielding-loop', rounds: 3 },
  flood: { file: 'flood', rounds: 3, repeated: ({ delivered, captured }) => delivered === captured },
  drain: { file: 'drain', rounds: 3 },
  naturalExit: { file: 'natural-exit', rounds: 3 },
  processExit: { file: 'process-exit', rounds: 3, sideBySide: true },
  kill: { file: 'kill', rounds: 3, sideBySide: true },
  outage: { file: 'outage', rounds: 1, sideBySide: true },
}

const measureRow = async (packages, { file, sideBySide, repeated = () => true }, rounds) => {
  const results = new Map(packages.map((found) => [found, []]))
  const measureOne = async (found) => {
    const measured = results.get(found)
    if (measured.every(repeated)) measured.push(await onStage(file, found))
  }
  for (let round = 0; round < rounds; round++) {
    if (sideBySide) await Promise.all(packages.map(measureOne))
    else for (const found of packages) await measureOne(found)
  }
  return packages.map((found) => summaryOf(results.get(found)))
}

/**
 * @param {{ mostRounds?: number, isWantedRow?: (row: string) => boolean, isWanted?: (found: { name: string }) => boolean }} [options] Default: all
 *   rounds of all rows for all packages, about eight minutes.
 */
export const runNodeBench = async ({ mostRounds = Infinity, isWantedRow = () => true, isWanted = () => true } = {}) => {
  const packages = (await foundPackages(await installField())).filter(isWanted)
  const figures = packages.map(({ name, version, way }) => ({ name, version, way }))
  for (const [key, row] of Object.entries(ROWS)) {
    if (!isWantedRow(key)) continue
    const startedAt = performance.now()
    const measured = await measureRow(packages, row, Math.min(mostRounds, row.rounds))
    for (const [index, result] of measured.entries()) figures[index][key] = result
    console.log(`  ${key}: ${Math.round((performance.now() - startedAt) / 1000)} s`)
  }
  return { packages: figures }
}

/** `node test/bench/node.mjs [rounds] [rows, with commas between] [packages, likewise]` tries a part and writes nothing. */
if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [rounds, rows, names] = process.argv.slice(2)
  const among = (list) => (list ? (value) => list.split(',').includes(value) : () => true)
  const options = {
    mostRounds: Number(rounds) || undefined,
    isWantedRow: among(rows),
    isWanted: ({ name }) => among(names)(name),
  }
  console.log(JSON.stringify(await runNodeBench(options), null, 2))
}
