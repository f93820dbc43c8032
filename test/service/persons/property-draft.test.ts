import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  alters,
  changeDraft,
  draftedProperties,
  joinDrafts,
  MOST_PROPERTY_BYTES,
  openDraft,
} from '../../../src/service/persons/property-draft.ts'
import type { PropertyChange } from '../../../src/service/persons/property-draft.ts'
import type { Json, JsonObject } from '../../../src/wire/json.ts'

const change = (given: Partial<PropertyChange>): PropertyChange => ({ set: {}, setOnce: {}, unset: [], ...given })
const bytesOf = (properties: JsonObject): number => Buffer.byteLength(JSON.stringify(properties))

const name = fc.constantFrom('a', 'b', '__proto__', 'toString', 'é"\n', '\ud800')
const properties = fc
  .array(fc.tuple(name, fc.jsonValue() as fc.Arbitrary<Json>), { maxLength: 4 })
  .map((entries): JsonObject => Object.fromEntries(entries))
const anyChange = fc.record({ set: properties, setOnce: properties, unset: fc.array(name, { maxLength: 2 }) })

/** The rules, said as plainly as they can be. */
const changed = (before: JsonObject, { set, setOnce, unset }: PropertyChange): JsonObject => {
  const all = [...Object.entries(setOnce), ...Object.entries(before), ...Object.entries(set)]
  return Object.fromEntries(all.filter(([key]) => !unset.includes(key)))
}

const sorted = (of: JsonObject): unknown => Object.entries(of).sort(([one], [other]) => (one < other ? -1 : 1))

describe('a property draft', () => {
  it('sets once what is absent, sets, and takes away, like the plain rules, and knows its bytes', () => {
    fc.assert(
      fc.property(properties, fc.array(anyChange, { maxLength: 5 }), (before, changes) => {
        const draft = openDraft(before)
        let expected = before
        for (const one of changes) {
          const after = changed(expected, one)
          const isSame = JSON.stringify(sorted(after)) === JSON.stringify(sorted(expected))
          expect(changeDraft(draft, one)).toBe(isSame ? 'same' : 'changed')
          if (!isSame) expect(alters(expected, one)).toBe(true)
          expected = after
        }
        const after = draftedProperties(draft)
        expect(sorted(after)).toEqual(sorted(expected))
        if (draft.values.size > 0) expect(draft.bytes).toBe(bytesOf(after))
      }),
    )
  })

  it('joins two persons: where both have a property, the value of the winner', () => {
    fc.assert(
      fc.property(properties, properties, (loser, winner) => {
        const { draft } = joinDrafts(openDraft(loser), openDraft(winner))
        const after = draftedProperties(draft)
        expect(sorted(after)).toEqual(sorted(changed(winner, change({ setOnce: loser }))))
        if (draft.values.size > 0) expect(draft.bytes).toBe(bytesOf(after))
      }),
    )
  })

  it('takes as many bytes as it may have and not one more; what is too large already may shrink', () => {
    const draft = openDraft({ a: 1 })
    const room = MOST_PROPERTY_BYTES - bytesOf({ a: 1, b: '' })
    expect(changeDraft(draft, change({ set: { b: 'x'.repeat(room + 1), c: 1 } }))).toBe('oversized')
    expect(draftedProperties(draft)).toEqual({ a: 1 })
    expect(changeDraft(draft, change({ set: { b: 'x'.repeat(room) } }))).toBe('changed')
    expect(changeDraft(draft, change({ set: { a: 2 } }))).toBe('changed')
    expect(changeDraft(draft, change({ set: { a: 10 } }))).toBe('oversized')
    const large = openDraft({ a: 'x'.repeat(2 * MOST_PROPERTY_BYTES), b: 1 })
    expect(changeDraft(large, change({ set: { c: 1 } }))).toBe('oversized')
    expect(changeDraft(large, change({ unset: ['b'] }))).toBe('changed')
  })

  it('keeps of the loser what fits, the smallest first, where both together would be too large', () => {
    const half = 'x'.repeat(MOST_PROPERTY_BYTES / 2)
    for (const [loser, winner, left, joined] of [
      [{ a: half, email: 'a@b.c' }, { b: half }, ['a'], { b: half, email: 'a@b.c' }],
      [{ a: half, email: 'a@b.c' }, { b: half, c: 1, email: 'other' }, ['a'], { b: half, c: 1, email: 'other' }],
      [{ a: half, z: 1, y: half }, { b: 1 }, ['y'], { a: half, z: 1, b: 1 }],
    ] as const) {
      const { draft, left: names } = joinDrafts(openDraft(loser), openDraft(winner))
      expect([names, sorted(draftedProperties(draft))]).toEqual([left, sorted(joined)])
      expect(draft.bytes).toBe(bytesOf(joined))
    }
  })

  it('joins what belongs together as a whole: the set of the winner, or that of the loser', () => {
    const sets = [['a', 'b']]
    const join = (loser: JsonObject, winner: JsonObject): JsonObject => {
      const { draft } = joinDrafts(openDraft(loser), openDraft(winner), sets)
      const after = draftedProperties(draft)
      expect(draft.bytes).toBe(bytesOf(after))
      return after
    }
    expect(join({ a: 1, b: 1, c: 1 }, { a: 2 })).toEqual({ a: 2, c: 1 })
    expect(join({ a: 1, c: 1 }, { b: 2, d: 2, e: 2 })).toEqual({ b: 2, c: 1, d: 2, e: 2 })
    expect(join({ a: 1, b: 1 }, { c: 2 })).toEqual({ a: 1, b: 1, c: 2 })
  })

  it('sets first values as one, and only where nothing is known of any of them', () => {
    const first = { among: ['a', 'b'], values: { a: 1 } }
    const seen = (before: JsonObject, more: Partial<PropertyChange> = {}): JsonObject => {
      const draft = openDraft(before)
      const one = change({ first, ...more })
      expect(changeDraft(draft, one) !== 'same').toBe(alters(before, one))
      return draftedProperties(draft)
    }
    expect(seen({ c: 1 })).toEqual({ a: 1, c: 1 })
    expect(seen({ b: 2 })).toEqual({ b: 2 })
    expect(seen({ b: 2 }, { setOnce: { a: 3 } })).toEqual({ a: 3, b: 2 })
    expect(seen({}, { setOnce: { a: 3 } })).toEqual({ a: 3 })
  })

  it('lets what is too large already change its values, as long as it does not grow', () => {
    const large = openDraft({ a: 'x'.repeat(2 * MOST_PROPERTY_BYTES), b: 11 })
    expect(changeDraft(large, change({ set: { b: 22 } }))).toBe('oversized')
    expect(changeDraft(large, change({ set: { b: 3 } }))).toBe('changed')
  })
})
