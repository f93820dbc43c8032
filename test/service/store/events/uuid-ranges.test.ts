import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { isTimeOrdered, uuidRanges } from '../../../../src/service/store/events/uuid-ranges.ts'

const HOUR_MS = 3_600_000
/** A uuid of version 7 with this time. */
const createUuidAt = (ms: number) => {
  const hex = ms.toString(16).padStart(12, '0')
  return `${hex.slice(0, 8)}-${hex.slice(8)}-7000-8000-000000000000`
}

describe('uuidRanges', () => {
  it('covers uuids of similar times with one range', () => {
    expect(uuidRanges([createUuidAt(5000), createUuidAt(1000), createUuidAt(9000)])).toEqual([
      { low: createUuidAt(1000), high: createUuidAt(9000) },
    ])
  })

  it('uses a separate range for an event of last year', () => {
    const oldUuid = createUuidAt(1_700_000_000_000)
    const newUuid = createUuidAt(1_700_000_000_000 + 9000 * HOUR_MS)
    expect(uuidRanges([newUuid, oldUuid])).toEqual([
      { low: oldUuid, high: oldUuid },
      { low: newUuid, high: newUuid },
    ])
  })

  it('covers all uuids with at most eight ranges', () => {
    fc.assert(
      fc.property(fc.array(fc.maxSafeNat().map((ms) => createUuidAt(ms % 2 ** 48))), (uuids) => {
        const ranges = uuidRanges(uuids)
        expect(ranges.length).toBeLessThanOrEqual(8)
        for (const uuid of uuids) expect(ranges.some(({ low, high }) => low <= uuid && uuid <= high)).toBe(true)
      }),
    )
  })

  it('distinguishes version 7 from other versions', () => {
    expect(isTimeOrdered(createUuidAt(1))).toBe(true)
    expect(isTimeOrdered('c9bf9e57-1685-4c89-bafb-ff5af830be8a')).toBe(false)
  })
})
