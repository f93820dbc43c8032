import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createSubstringSearch } from '../../../src/evaluate/operators/substring-search.ts'

const few = fc.constantFrom('a', 'b', 'ab', 'aa')

describe('createSubstringSearch', () => {
  it('agrees with the built-in search for short and long needles', () => {
    const part = fc
      .tuple(fc.array(few, { maxLength: 6 }), fc.integer({ min: 1, max: 150 }))
      .map(([units, times]) => units.join('').repeat(times))
    const around = fc.array(few, { maxLength: 300 }).map((units) => units.join(''))
    fc.assert(
      fc.property(part, around, around, fc.nat(700), (needle, before, after, cut) => {
        for (const haystack of [before + needle + after, before + needle.slice(0, cut) + after, needle.slice(cut)])
          expect(createSubstringSearch(needle)(haystack)).toBe(haystack.includes(needle))
      }),
    )
  })

  it('takes linear time when prefixes or suffixes match everywhere', () => {
    const haystack = 'a'.repeat(1_000_000)
    const run = 'a'.repeat(250_000)
    const started = performance.now()
    expect([`${run}b${run}`, `b${run}`, `${run}b`].map((needle) => createSubstringSearch(needle)(haystack))).toEqual([
      false,
      false,
      false,
    ])
    expect(createSubstringSearch(run)(haystack)).toBe(true)
    expect(performance.now() - started).toBeLessThan(2_000)
  })
})
