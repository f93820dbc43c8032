import { readFile } from 'node:fs/promises'
import { expect, it } from 'vitest'
import { deriveCapacity } from './capacity.mjs'
import { README_TABLES } from './numbers.mjs'

const readResults = async (): Promise<unknown> => JSON.parse(await readFile('test/bench/results.json', 'utf8'))

// One table is that of a simulation, which takes seconds.
it.each(Object.entries(README_TABLES))(
  '%s shows the committed bench results',
  { timeout: 120_000 },
  async (path, withTables) => {
    const readme = await readFile(path, 'utf8')
    expect(withTables(readme, await readResults())).toBe(readme)
  },
)

it('derives the events of a day from the slower of front and indexer, at a quarter of its rate', () => {
  const results = {
    service: {
      site: {
        acknowledged: { eventsPerSecond: 40_000, indexedPerSecond: 20_000 },
        backlog: { acknowledgedPerSecond: 90_000, eventsPerSecond: 50_000, bytesPerEvent: 100 },
      },
    },
  }
  expect(deriveCapacity(results)).toMatchObject([
    { cores: '2', eventsPerSecond: 20_000, eventsPerDay: 432_000_000 },
    { cores: '4', eventsPerSecond: 50_000, diskBytesPerMonth: 50_000 * 21_600 * 30 * 100 },
    { cores: '8', eventsPerSecond: 50_000 },
  ])
})
