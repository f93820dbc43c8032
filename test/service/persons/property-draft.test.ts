import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  wouldChange,
  applyToDraft,
  readDraft,
  mergeDrafts,
  createDraft,
} from '../../../src/service/persons/property-draft.ts'
import type { PropertyChange } from '../../../src/service/persons/property-draft.ts'
import { MAX_PERSON_PROPERTIES_BYTES } from '../../../src/wire/bounds.ts'
import type { Json, JsonObject } from '../../../src/wire/json.ts'

const change = (parts: Partial<PropertyChange>): PropertyChange => ({ set: {}, setOnce: {}, unset: [], ...parts })
const jsonBytes = (properties: JsonObject): number => Buffer.byteLength(JSON.stringify(properties))

const name = fc.constantFrom('a', 'b', '__proto__', 'toString', 'é"\n', '\ud800')
const properties = fc
  .array(fc.tuple(name, fc.jsonValue() as fc.Arbitrary<Json>), { maxLength: 4 })
  .map((entries): JsonObject => Object.fromEntries(entries))
const anyChange = fc.record({ set: properties, setOnce: properties, unset: fc.array(name, { maxLength: 2 }) })

/** The reference implementation: the rules without optimizations. */
const applyRules = (before: JsonObject, { set, setOnce, unset }: PropertyChange): JsonObject => {
  const all = [...Object.entries(setOnce), ...Object.entries(before), ...Object.entries(set)]
  return Object.fromEntries(all.filter(([key]) => !unset.includes(key)))
}

/** The names whose values differ. */
const differing = (before: JsonObject, after: JsonObject): string[] =>
  [...new Set([...Object.keys(before), ...Object.keys(after)])].filter((key) => {
    const read = (of: JsonObject) => (Object.hasOwn(of, key) ? JSON.stringify(of[key]) : undefined)
    return read(before) !== read(after)
  })

const sorted = (object: JsonObject): unknown => Object.entries(object).sort(([a], [b]) => (a < b ? -1 : 1))

describe('a property draft', () => {
  it('applies changes like the reference rules, and counts its bytes', () => {
    fc.assert(
      fc.property(properties, fc.array(anyChange, { maxLength: 5 }), (before, changes) => {
        const draft = createDraft(before)
        let expected = before
        for (const nextChange of changes) {
          const after = applyRules(expected, nextChange)
          const isSame = JSON.stringify(sorted(after)) === JSON.stringify(sorted(expected))
          expect(applyToDraft(draft, nextChange)).toEqual({ isChanged: !isSame, dropped: [] })
          if (!isSame) expect(wouldChange(expected, nextChange)).toBe(true)
          expected = after
        }
        const after = readDraft(draft)
        expect(sorted(after)).toEqual(sorted(expected))
        if (draft.values.size > 0) expect(draft.bytes).toBe(jsonBytes(after))
        expect([...draft.changedNames!]).toEqual(expect.arrayContaining(differing(before, after)))
      }),
    )
  })

  it.each(['winner', 'loser'] as const)('names what a merge changes of the %s', (kept) => {
    fc.assert(
      fc.property(properties, properties, anyChange, anyChange, (loser, winner, first, second) => {
        const drafts = { loser: createDraft(loser), winner: createDraft(winner) }
        applyToDraft(drafts.loser, first)
        applyToDraft(drafts.winner, second)
        const { draft } = mergeDrafts(drafts.loser, drafts.winner, [['a', 'b']], kept)
        const names = differing({ loser, winner }[kept], readDraft(draft))
        expect([...draft.changedNames!]).toEqual(expect.arrayContaining(names))
      }),
    )
  })

  it.each(['winner', 'loser'] as const)('names what a merge of too much changes of the %s', (kept) => {
    const half = 'x'.repeat(MAX_PERSON_PROPERTIES_BYTES / 2)
    const [loser, winner] = [
      { a: half, b: 1 },
      { c: half, b: 2 },
    ]
    const { draft, dropped } = mergeDrafts(createDraft(loser), createDraft(winner), [], kept)
    expect(dropped).toEqual(['a'])
    const names = differing({ loser, winner }[kept], readDraft(draft))
    expect([...draft.changedNames!]).toEqual(expect.arrayContaining(names))
  })

  it('names no change of a merge with thousands of names', () => {
    const many = Object.fromEntries(Array.from({ length: 5_000 }, (_, n) => [`p${n}`, n]))
    expect(mergeDrafts(createDraft(many), createDraft({ a: 1 })).draft.changedNames).toBeNull()
    expect(mergeDrafts(createDraft({ a: 1 }), createDraft(many)).draft.changedNames).toEqual(new Set(['a']))
  })

  it('merges two persons, and the values of the winner win', () => {
    fc.assert(
      fc.property(properties, properties, (loser, winner) => {
        const { draft } = mergeDrafts(createDraft(loser), createDraft(winner))
        const after = readDraft(draft)
        expect(sorted(after)).toEqual(sorted(applyRules(winner, change({ setOnce: loser }))))
        if (draft.values.size > 0) expect(draft.bytes).toBe(jsonBytes(after))
      }),
    )
  })

  it('leaves out only the property that does not fit, to the byte', () => {
    const draft = createDraft({ a: 1 })
    const room = MAX_PERSON_PROPERTIES_BYTES - jsonBytes({ a: 1, b: '', c: 1 })
    const tooLarge = change({ set: { b: 'x'.repeat(room + 1), c: 1 } })
    expect(applyToDraft(draft, tooLarge)).toEqual({ isChanged: true, dropped: ['b'] })
    expect(readDraft(draft)).toEqual({ a: 1, c: 1 })
    expect(applyToDraft(draft, tooLarge)).toEqual({ isChanged: false, dropped: ['b'] })
    expect(applyToDraft(draft, change({ set: { b: 'x'.repeat(room) } }))).toEqual({ isChanged: true, dropped: [] })
    expect(draft.bytes).toBe(MAX_PERSON_PROPERTIES_BYTES)
    expect(applyToDraft(draft, change({ set: { a: 10, c: 2 } }))).toEqual({ isChanged: true, dropped: ['a'] })
    expect(applyToDraft(draft, change({ set: { a: 10 }, unset: ['c'] }))).toEqual({ isChanged: true, dropped: [] })
    expect(draft.bytes).toBe(jsonBytes(readDraft(draft)))
  })

  it('never makes properties larger than the limit or than they were, and keeps what it does not drop', () => {
    const half = MAX_PERSON_PROPERTIES_BYTES / 2
    const size = fc.oneof(fc.nat(20), fc.integer({ min: half - 40, max: half + 40 }), fc.constant(half * 3))
    const sized = fc
      .array(fc.tuple(fc.constantFrom('a', 'b', 'c', 'd'), size), { maxLength: 4 })
      .map((entries): JsonObject => Object.fromEntries(entries.map(([key, length]) => [key, 'x'.repeat(length)])))
    fc.assert(
      fc.property(sized, sized, (before, set) => {
        const draft = createDraft(before)
        const { dropped } = applyToDraft(draft, change({ set }))
        const after = readDraft(draft)
        if (draft.values.size > 0) expect(draft.bytes).toBe(jsonBytes(after))
        expect(jsonBytes(after)).toBeLessThanOrEqual(Math.max(MAX_PERSON_PROPERTIES_BYTES, jsonBytes(before)))
        for (const [key, value] of Object.entries(set))
          expect(after[key] === (dropped.includes(key) ? before[key] : value)).toBe(true)
      }),
      { numRuns: 50 },
    )
  })

  it('keeps the smallest properties of the loser when a merge exceeds the limit', () => {
    const half = 'x'.repeat(MAX_PERSON_PROPERTIES_BYTES / 2)
    for (const [loser, winner, expectedDropped, merged] of [
      [{ a: half, email: 'a@b.c' }, { b: half }, ['a'], { b: half, email: 'a@b.c' }],
      [{ a: half, email: 'a@b.c' }, { b: half, c: 1, email: 'other' }, ['a'], { b: half, c: 1, email: 'other' }],
      [{ a: half, z: 1, y: half }, { b: 1 }, ['y'], { a: half, z: 1, b: 1 }],
    ] as const) {
      const { draft, dropped } = mergeDrafts(createDraft(loser), createDraft(winner))
      expect([dropped, sorted(readDraft(draft))]).toEqual([expectedDropped, sorted(merged)])
      expect(draft.bytes).toBe(jsonBytes(merged))
    }
  })

  it('takes properties that belong together all from the winner or all from the loser', () => {
    const sets = [['a', 'b']]
    const merge = (loser: JsonObject, winner: JsonObject): JsonObject => {
      const { draft } = mergeDrafts(createDraft(loser), createDraft(winner), sets)
      const after = readDraft(draft)
      expect(draft.bytes).toBe(jsonBytes(after))
      return after
    }
    expect(merge({ a: 1, b: 1, c: 1 }, { a: 2 })).toEqual({ a: 2, c: 1 })
    expect(merge({ a: 1, c: 1 }, { b: 2, d: 2, e: 2 })).toEqual({ b: 2, c: 1, d: 2, e: 2 })
    expect(merge({ a: 1, b: 1 }, { c: 2 })).toEqual({ a: 1, b: 1, c: 2 })
  })

  it('sets initial values together, only if none of their names exists', () => {
    const initialValues = { names: ['a', 'b'], values: { a: 1 } }
    const applyInitial = (before: JsonObject, parts: Partial<PropertyChange> = {}): JsonObject => {
      const draft = createDraft(before)
      const initialChange = change({ initialValues, ...parts })
      expect(applyToDraft(draft, initialChange).isChanged).toBe(wouldChange(before, initialChange))
      return readDraft(draft)
    }
    expect(applyInitial({ c: 1 })).toEqual({ a: 1, c: 1 })
    expect(applyInitial({ b: 2 })).toEqual({ b: 2 })
    expect(applyInitial({ b: 2 }, { setOnce: { a: 3 } })).toEqual({ a: 3, b: 2 })
    expect(applyInitial({}, { setOnce: { a: 3 } })).toEqual({ a: 3 })
  })

  it('takes changes of larger properties of an earlier version that do not make them larger', () => {
    const large = createDraft({ a: 'x'.repeat(2 * MAX_PERSON_PROPERTIES_BYTES), b: 11, d: 1 })
    const set = { a: 'y'.repeat(2 * MAX_PERSON_PROPERTIES_BYTES), b: 22, c: 1 }
    expect(applyToDraft(large, change({ set, unset: ['d'] }))).toEqual({ isChanged: true, dropped: ['c'] })
    expect(readDraft(large)).toEqual({ a: set.a, b: 22 })
    expect(applyToDraft(large, change({ set: { b: 333 } }))).toEqual({ isChanged: false, dropped: ['b'] })
    expect(applyToDraft(large, change({ set: { b: 3 } }))).toEqual({ isChanged: true, dropped: [] })
  })
})
