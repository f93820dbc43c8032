import { expect, test } from 'vitest'
import { singleFlight } from '../../src/flags/single-flight.ts'

test('a run that fails is told, and does not stop the next one', async () => {
  const errors: unknown[] = []
  let runs = 0
  const flight = singleFlight(
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
