import { expect, test } from 'vitest'
import { createSingleFlight } from '../../src/flags/single-flight.ts'

test('a failed run is reported and does not prevent the next one', async () => {
  const errors: unknown[] = []
  let runCount = 0
  const runTask = createSingleFlight(
    (begin) => setImmediate(begin),
    async () => {
      if (++runCount === 1) throw new Error('no')
    },
    (error) => errors.push(String(error)),
  )
  await runTask()
  expect(errors).toEqual(['Error: no'])
  await runTask()
  expect(runCount).toBe(2)
})
