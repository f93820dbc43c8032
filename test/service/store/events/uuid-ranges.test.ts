import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { isTimeOrdered, uuidRanges } from '../../../../src/service/store/events/uuid-ranges.ts'

const HOUR_MS = 3_600_000
/** The first digits of the uuids of version 7 with this time. */
const digitsOf = (ms: number) => {
  const hex = ms.toString(16).padStart(12, '0')
  return `${hex.slice(0, 8)}-${hex.slice(8)}`
}
const rangeOf = (firstMs: number, lastMs: number) => ({
  low: `${digitsOf(firstMs)}-0000-0000-000000000000`,
  high: `${digitsOf(lastMs)}-ffff-ffff-ffffffffffff`,
})

describe('uuidRanges', () => {
  it('covers uuids of similar times with one range', () => {
    expect(uuidRanges(Float64Array.of(5000, 1000, 9000))).toEqual([rangeOf(1000, 9000)])
  })

  it('uses a separate range for an event of last year', () => {
    const oldMs = 1_700_000_000_000
    const newMs = oldMs + 9000 * HOUR_MS
    expect(uuidRanges(Float64Array.of(newMs, oldMs))).toEqual([rangeOf(oldMs, oldMs), rangeOf(newMs, newMs)])
  })

  it('covers all uuids with at most eight ranges', () => {
    fc.assert(
      fc.property(fc.array(fc.maxSafeNat().map((ms) => ms % 2 ** 48)), (times) => {
        const ranges = uuidRanges(Float64Array.from(times))
        expect(ranges.length).toBeLessThanOrEqual(8)
        for (const ms of times) {
          const uuid = `${digitsOf(ms)}-7000-8000-000000000000`
          expect(ranges.some(({ low, high }) => low <= uuid && uuid <= high)).toBe(true)
        }
      }),
    )
  })

  it('distinguishes version 7 from other versions', () => {
    expect(isTimeOrdered('00000000-0001-7000-8000-000000000000')).toBe(true)
    expect(isTimeOrdered('c9bf9e57-1685-4c89-bafb-ff5af830be8a')).toBe(false)
  })
})
