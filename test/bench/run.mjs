import { readFile, writeFile } from 'node:fs/promises'
import { cpus, totalmem } from 'node:os'
import { withNumbers } from './numbers.mjs'

/**
 * Runs every bench and keeps the results in `test/bench/results.json` and the README; with names on the command line it runs only those
 * and prints them.
 */
const BENCHES = {
  browser: async () => (await import('./browser.mjs')).runBrowserBench(),
  service: async () => (await import('./service.mjs')).runServiceBench(),
  indexer: async () => (await import('./indexer.mjs')).runIndexerBench(),
}
const RESULTS = new URL('results.json', import.meta.url)

const wanted = process.argv.slice(2)
const results = {
  machine: { cores: cpus().length, memoryGiB: Math.round(totalmem() / 2 ** 30), node: process.version },
}
for (const [name, run] of Object.entries(BENCHES)) {
  if (wanted.length && !wanted.includes(name)) continue
  console.log(`\n${name} …`)
  results[name] = await run()
  console.log(JSON.stringify(results[name], null, 2))
}
if (!wanted.length) {
  await writeFile(RESULTS, `${JSON.stringify(results, null, 2)}\n`)
  await writeFile('README.md', withNumbers(await readFile('README.md', 'utf8'), results))
}
