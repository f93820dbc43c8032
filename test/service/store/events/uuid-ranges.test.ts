import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { isTimeOrdered, uuidRanges } from '../../../../src/service/store/events/uuid-ranges.ts'

const HOUR = 3_600_000
const at = (ms: number, end = '0') => {
  const hex = ms.toString(16).padStart(12, '0')
  return `${hex.slice(0, 8)}-${hex.slice(8)}-7000-8000-${end.padStart(12, '0')}`
}

describe('uuidRanges', () => {
  it('covers uuids of similar times with one range', () => {
    expect(uuidRanges([at(5000), at(1000), at(9000)])).toEqual([{ low: at(1000), high: at(9000) }])
  })

  it('uses a separate range for an event of last year', () => {
    const old = at(1_700_000_000_000)
    const now = at(1_700_000_000_000 + 9000 * HOUR)
    expect(uuidRanges([now, old])).toEqual([
      { low: old, high: old },
      { low: now, high: now },
    ])
  })

  it('covers all uuids with at most eight ranges', () => {
    fc.assert(
      fc.property(fc.array(fc.maxSafeNat().map((ms) => at(ms % 2 ** 48))), (uuids) => {
        const ranges = uuidRanges(uuids)
        expect(ranges.length).toBeLessThanOrEqual(8)
        for (const uuid of uuids) expect(ranges.some(({ low, high }) => low <= uuid && uuid <= high)).toBe(true)
      }),
    )
  })

  it('distinguishes version 7 from other versions', () => {
    expect(isTimeOrdered(at(1))).toBe(true)
    expect(isTimeOrdered('c9bf9e57-1685-4c89-bafb-ff5af830be8a')).toBe(false)
  })
})
