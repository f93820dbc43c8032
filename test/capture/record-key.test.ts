import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createRecordKeys, EVENTS_FROM, EVENTS_TO, charactersOfKey } from '../../src/capture/record-key.ts'

describe('record keys', () => {
  it('sort in capture order with any clock, are unique and contain the size', () => {
    const capture = fc.record({ now: fc.integer({ min: 0, max: 4e12 }), size: fc.integer({ min: 1, max: 1e8 }) })
    fc.assert(
      fc.property(fc.array(capture, { minLength: 1, maxLength: 50 }), (captures) => {
        const createKey = createRecordKeys('abc123')
        const keys = captures.map(({ now, size }) => createKey(now, size))
        expect([...keys].sort()).toEqual(keys)
        expect(new Set(keys).size).toBe(keys.length)
        expect(keys.every((key) => EVENTS_FROM <= key && key < EVENTS_TO)).toBe(true)
        expect(keys.map(charactersOfKey)).toEqual(captures.map(({ size }) => size))
      }),
    )
  })

  it('differ between two tabs in the same millisecond', () => {
    const [first, second] = [createRecordKeys('aaaaaa'), createRecordKeys('bbbbbb')]
    expect(first(1, 1)).not.toBe(second(1, 1))
  })

  it('that contain no size have size 0', () => {
    expect(charactersOfKey('e/foreign')).toBe(0)
  })
})
