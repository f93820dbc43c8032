import { readFile, writeFile } from 'node:fs/promises'
import { cpus, totalmem } from 'node:os'
import { withTables } from './numbers.mjs'

/**
 * Runs every bench, or those named on the command line, and writes the results to `results.json` and the tables of the README beside it. A
 * bench that does not run keeps its last results.
 */
const BENCHES = {
  size: async () => (await import('./size.mjs')).runSizeBench(),
  browser: async () => (await import('./browser.mjs')).runBrowserBench(),
  flags: async () => (await import('./flags.mjs')).runFlagsBench(),
  node: async () => (await import('./node.mjs')).runNodeBench(),
  service: async () => (await import('./service.mjs')).runServiceBench(),
  decide: async () => (await import('./decide.mjs')).runDecideBench(),
  backlog: async () => (await import('./service/backlog.mjs')).runBacklogBench(),
  indexer: async () => (await import('./indexer.mjs')).runIndexerBench(),
}
const RESULTS = new URL('results.json', import.meta.url)
const README = new URL('README.md', import.meta.url)

const requested = process.argv.length > 2 ? process.argv.slice(2) : Object.keys(BENCHES)
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
}
await writeFile(RESULTS, `${JSON.stringify(results, null, 2)}\n`)
await writeFile(README, withTables(await readFile(README, 'utf8'), results))
