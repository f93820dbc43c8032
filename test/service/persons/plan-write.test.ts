import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { StoredSize } from '../../../src/service/persons/person.ts'
import { joinWrites, MIN_BASE_BYTES, planWrite } from '../../../src/service/persons/plan-write.ts'
import type { PropertyWrite } from '../../../src/service/persons/plan-write.ts'

const SMALL = 'x'.repeat(50)

const plan = (stored: StoredSize | undefined, names: readonly string[] | null, value = SMALL, bytes = 20_000) =>
  planWrite(
    {
      stored,
      properties: Object.fromEntries((names ?? []).map((name) => [name, value])),
      bytes,
      changedNames: names && new Set(names),
    },
    MIN_BASE_BYTES,
  )

const storedOf = (baseBytes: number, changeBytes = 0): StoredSize => ({ bytes: baseBytes, baseBytes, changeBytes })

describe('the plan of a write', () => {
  it('is the whole of new and small properties', () => {
    expect(plan(undefined, ['a'], SMALL, 100)).toEqual({ write: 'whole', stored: undefined })
    expect(plan(undefined, ['a']).stored).toEqual(storedOf(20_000))
    expect(plan(storedOf(MIN_BASE_BYTES - 1), ['a'], SMALL, 8_200).write).toBe('whole')
  })

  it('is the changed names of large properties, unless there are too many', () => {
    expect(plan(storedOf(20_000), ['a', 'b']).write).toEqual(new Set(['a', 'b']))
    expect(plan(storedOf(20_000), []).write).toEqual(new Set())
    expect(plan(storedOf(20_000), null).write).toBe('whole')
    expect(plan(storedOf(20_000), ['a'], 'x'.repeat(5_000)).write).toBe('whole')
  })

  it('counts names as JSON, of which a regular expression is made', () => {
    expect(plan(storedOf(500_000), ['a'.repeat(500)]).write).toEqual(new Set(['a'.repeat(500)]))
    const names = Array.from({ length: 20 }, (_, n) => '\u0001'.repeat(500) + n)
    expect(plan(storedOf(500_000), names).write).toBe('whole')
    const many = Array.from({ length: 2000 }, (_, n) => 'a'.repeat(60) + n)
    expect(plan(storedOf(10_000_000), many).write).toBe('whole')
  })

  it('folds what is beside the base when properties are written as a whole', () => {
    expect(plan(storedOf(20_000, 4_950), ['a'])).toEqual({ write: 'folded', stored: storedOf(20_000) })
    expect(plan(storedOf(20_000, 10), null, SMALL, 500)).toEqual({ write: 'folded', stored: undefined })
  })

  it('writes a few times the size of many changes, and never leaves much beside the base', () => {
    const sizes = fc.array(fc.integer({ min: 1, max: 3_000 }), { minLength: 50, maxLength: 300 })
    fc.assert(
      fc.property(sizes, fc.integer({ min: MIN_BASE_BYTES, max: 512 * 1024 }), (changes, bytes) => {
        let stored: StoredSize | undefined = storedOf(bytes)
        let written = 0
        for (const size of changes) {
          const next = plan(stored, ['name'], 'x'.repeat(size), bytes)
          written += typeof next.write === 'string' ? bytes : size
          stored = next.stored
          expect(stored!.changeBytes).toBeLessThanOrEqual(bytes / 4)
        }
        const changed = changes.reduce((sum, size) => sum + size + 80, 0)
        // The change that fills the quarter is written with the base.
        expect(written).toBeLessThanOrEqual(5 * changed + 5 * 3_000)
      }),
    )
  })

  it('of two writes is one that includes both', () => {
    const [a, b]: readonly PropertyWrite[] = [new Set(['a']), new Set(['b'])]
    expect(joinWrites(undefined, a!)).toBe(a)
    expect(joinWrites(a, b!)).toEqual(new Set(['a', 'b']))
    expect([joinWrites('whole', a!), joinWrites(a, 'whole')]).toEqual(['whole', 'whole'])
    expect([joinWrites('folded', a!), joinWrites('whole', 'folded')]).toEqual(['folded', 'folded'])
  })
})
