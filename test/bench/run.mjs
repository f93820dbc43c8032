import { execFileSync } from 'node:child_process'
import { readFile, writeFile } from 'node:fs/promises'
import { cpus, totalmem } from 'node:os'
import { parseArgs } from 'node:util'
import { README_TABLES } from './numbers.mjs'
import { readScaleBenchOptions, SCALE_BENCH_ARGUMENTS } from './scale/options.mjs'
import { readServiceBenchOptions, SERVICE_BENCH_ARGUMENTS } from './service/options.mjs'

/**
 * Runs every bench, or those named on the command line, and writes the results to `results.json` and the tables of the READMEs. A bench
 * that does not run keeps its last results.
 */
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { ...SERVICE_BENCH_ARGUMENTS, ...SCALE_BENCH_ARGUMENTS },
})
const serviceOptions = readServiceBenchOptions(values)
const scaleOptions = readScaleBenchOptions(values)

const BENCHES = {
  size: async () => (await import('./size.mjs')).runSizeBench(),
  browser: async () => (await import('./browser.mjs')).runBrowserBench(),
  flags: async () => (await import('./flags.mjs')).runFlagsBench(),
  node: async () => (await import('./node.mjs')).runNodeBench(),
  service: async () => (await import('./service.mjs')).runServiceBench(serviceOptions),
  changes: async () => (await import('./service/changes-bench.mjs')).runChangesBench(),
  queries: async () => (await import('./service/queries-bench.mjs')).runQueriesBench(serviceOptions),
  insights: async () => (await import('./insights/insights-bench.mjs')).runInsightsBench(serviceOptions),
  scale: async () => (await import('./scale.mjs')).runScaleBench(scaleOptions),
  decide: async () => (await import('./decide.mjs')).runDecideBench(),
}
const RESULTS = new URL('results.json', import.meta.url)
const REPOSITORY = new URL('../../', import.meta.url)

const requested = positionals.length > 0 ? positionals : Object.keys(BENCHES)
const unknown = requested.filter((name) => !(name in BENCHES))
if (unknown.length)
  throw new Error(`Unknown bench: ${unknown.join(', ')}. The benches are ${Object.keys(BENCHES).join(', ')}.`)

const results = {
  ...JSON.parse(await readFile(RESULTS, 'utf8')),
  machine: { cores: cpus().length, memoryGiB: Math.round(totalmem() / 2 ** 30), node: process.version },
}
for (const name of requested) {
  console.log(`\n${name} …`)
  results[name] = await BENCHES[name]()
  console.log(JSON.stringify(results[name], null, 2))
  // After each bench, so that an error in a later one loses nothing.
  await writeFile(RESULTS, `${JSON.stringify(results, null, 2)}\n`)
}
// As the check of the format wants it.
execFileSync('npm', ['run', 'format'], { cwd: REPOSITORY })
for (const [path, withTables] of Object.entries(README_TABLES)) {
  const file = new URL(path, REPOSITORY)
  await writeFile(file, withTables(await readFile(file, 'utf8'), results))
}
