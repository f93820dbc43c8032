import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { MAX_BACKOFF_MS, backoffMs, remainingMs } from '../../src/capture/backoff.ts'

describe('backoffMs', () => {
  it('doubles with each failure, between 100 ms and the maximum; half is random', () => {
    expect([1, 2, 3, 4].map((failures) => backoffMs(failures, 3_000, 0))).toEqual([1_500, 3_000, 6_000, 12_000])
    expect(backoffMs(1, 3_000, 0.5)).toBe(2_250)
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 1e9 }),
        fc.integer({ min: 0, max: 1e7 }),
        fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
        (failures, baseMs, random) => {
          const ms = backoffMs(failures, baseMs, random)
          expect(ms).toBeGreaterThanOrEqual(100)
          expect(ms).toBeLessThanOrEqual(MAX_BACKOFF_MS)
          expect(backoffMs(failures + 1, baseMs, random)).toBeGreaterThanOrEqual(ms)
        },
      ),
    )
  })
})

describe('remainingMs', () => {
  it.each([
    ['in the future', 1_500, 500],
    ['reached', 1_000, 0],
    ['past', 500, 0],
    ['as far ahead as possible', 2_000, 1_000],
    ['too far ahead', 2_001, 0],
    ['not a number', NaN, 0],
  ])('returns the remaining time of a deadline that is %s', (_name, deadline, ms) => {
    expect(remainingMs(deadline, 1_000, 1_000)).toBe(ms)
  })
})
