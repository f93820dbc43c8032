import { readFile } from 'node:fs/promises'
import { expect, it } from 'vitest'
import { readCommittedGuarantees, formatGuaranteesTable } from './guarantees.ts'

it('the README shows the committed guarantees', async () => {
  expect(await readFile('test/bench/README.md', 'utf8')).toContain(
    formatGuaranteesTable(await readCommittedGuarantees()),
  )
})

it('no committed guarantee has a lost or repeated event', async () => {
  const cells = Object.values(await readCommittedGuarantees()).flatMap((cells) => Object.values(cells))
  expect(cells.length).toBeGreaterThan(0)
  for (const { captured, stored } of cells) expect(stored).toBe(captured)
})
