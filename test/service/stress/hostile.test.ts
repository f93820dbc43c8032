import { expect, test } from 'vitest'
import { HOSTILE_SELECTS, sampleSelects } from '../../stress/hostile/hostile-selects.mjs'
import { isFailure, MAX_UNREPEATED, runHostileSelects } from '../../stress/hostile/run-hostile.mjs'
import { SERVICE_SCRIPT } from '../support/service-process.ts'
import { createTempFolder } from '../support/temp-folder.ts'

/** How many of the composed kinds run here, beside those that were found by attack. `npm run stress -- hostile` runs all. */
const COMPOSED_COUNT = 20

/** Longest time for a flag or an acknowledgement on a busy machine. Before queries were limited, one could hold it for 30 seconds. */
const MAX_BYSTANDER_MS = 5_000

/** Most memory of the indexer. With a store of 256 MB a query is ended at 768 MB, as soon as DuckDB notices, or the process at 1,792. */
const MAX_MEMORY_MB = 3_000

test('there are at least 500 kinds of hostile SELECTs', () => {
  expect(new Set(HOSTILE_SELECTS.map(({ name }) => name)).size).toBe(HOSTILE_SELECTS.length)
  expect(new Set(HOSTILE_SELECTS.map(({ sql }) => sql)).size).toBeGreaterThanOrEqual(500)
})

test('hostile SELECTs end with a result or a clear error, and delay nobody', async () => {
  const { outcomes, unrepeated, bystander, output } = await runHostileSelects({
    script: SERVICE_SCRIPT,
    folder: createTempFolder(),
    selects: sampleSelects(COMPOSED_COUNT, 1),
  })
  const failed = outcomes.filter(isFailure)
  // The reasons come first: a report may keep the first line only.
  expect(failed, `${JSON.stringify(failed)}\n${output}`).toEqual([])
  expect(unrepeated.length, `${JSON.stringify(unrepeated)}\n${output}`).toBeLessThanOrEqual(MAX_UNREPEATED)
  expect(Math.max(...outcomes.map(({ peakMb }) => peakMb))).toBeLessThan(MAX_MEMORY_MB)
  expect(bystander.problems).toEqual([])
  expect(bystander.decide.p99Ms).toBeLessThan(MAX_BYSTANDER_MS)
  expect(bystander.acknowledgement.p99Ms).toBeLessThan(MAX_BYSTANDER_MS)
}, 900_000)
