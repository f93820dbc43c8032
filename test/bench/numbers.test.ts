import { readFile } from 'node:fs/promises'
import { expect, it } from 'vitest'
import { fieldTable } from './field-table.mjs'
import { flagsTable } from './flags-table.mjs'
import { nodeTable } from './node-table.mjs'
import { numbersTable, sizeTable } from './numbers.mjs'

it('the README shows the committed bench results', async () => {
  const results = JSON.parse(await readFile('test/bench/results.json', 'utf8')) as {
    browser: unknown
    flags: unknown
    node: unknown
    size: unknown
  }
  const readme = await readFile('test/bench/README.md', 'utf8')
  expect(readme).toContain(numbersTable(results))
  expect(readme).toContain(sizeTable(results))
  expect(readme).toContain(fieldTable(results.browser))
  expect(readme).toContain(flagsTable(results.flags))
  expect(readme).toContain(nodeTable(results.node))
})
