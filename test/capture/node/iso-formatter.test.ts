import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import { createIsoFormatter } from '../../../src/capture/node/iso-formatter.ts'

/** The largest time of a `Date`. */
const MAX_TIME_MS = 8.64e15

it('formats any times, in any order, as Date does', () => {
  const timeNearZero = fc.integer({ min: -3_000, max: 3_000 })
  const anyTime = fc.integer({ min: -MAX_TIME_MS, max: MAX_TIME_MS })
  fc.assert(
    fc.property(fc.array(fc.oneof(timeNearZero, anyTime), { minLength: 1, maxLength: 50 }), (times) => {
      expect(times.map(createIsoFormatter())).toEqual(times.map((time) => new Date(time).toISOString()))
    }),
    { examples: [[[-MAX_TIME_MS, MAX_TIME_MS, 0, -1, 999, 1_000]]] },
  )
})

it('cuts off fractions of a millisecond', () => {
  expect([1.9, 999.9, 1_000.1].map(createIsoFormatter())).toEqual([
    '1970-01-01T00:00:00.001Z',
    '1970-01-01T00:00:00.999Z',
    '1970-01-01T00:00:01.000Z',
  ])
})
