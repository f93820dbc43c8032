import { expect, test } from 'vitest'
import { createSingleFlight } from '../../src/flags/single-flight.ts'

test('a failed run is reported and does not prevent the next one', async () => {
  const errors: unknown[] = []
  let runs = 0
  const flight = createSingleFlight(
    (begin) => setImmediate(begin),
    async () => {
      if (++runs === 1) throw new Error('no')
    },
    (error) => errors.push(String(error)),
  )
  await flight()
  expect(errors).toEqual(['Error: no'])
  await flight()
  expect(runs).toBe(2)
})
