import { readFile } from 'node:fs/promises'
import { expect, it } from 'vitest'
import { numbersTable } from './numbers.mjs'

it('the README shows the committed bench results', async () => {
  const results: unknown = JSON.parse(await readFile('test/bench/results.json', 'utf8'))
  expect(await readFile('README.md', 'utf8')).toContain(numbersTable(results))
})
