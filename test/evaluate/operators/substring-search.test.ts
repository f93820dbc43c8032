import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createSubstringSearch } from '../../../src/evaluate/operators/substring-search.ts'
import { measureCpuMs } from '../../support/cpu-time.ts'

/** Two letters only, so that a partial match occurs at almost every position. */
const repetitiveUnit = fc.constantFrom('a', 'b', 'ab', 'aa')

describe('createSubstringSearch', () => {
  it('agrees with the built-in search for short and long needles', () => {
    const anyNeedle = fc
      .tuple(fc.array(repetitiveUnit, { maxLength: 6 }), fc.integer({ min: 1, max: 150 }))
      .map(([units, times]) => units.join('').repeat(times))
    const surroundings = fc.array(repetitiveUnit, { maxLength: 300 }).map((units) => units.join(''))
    fc.assert(
      fc.property(anyNeedle, surroundings, surroundings, fc.nat(700), (needle, before, after, cut) => {
        for (const haystack of [before + needle + after, before + needle.slice(0, cut) + after, needle.slice(cut)])
          expect(createSubstringSearch(needle)(haystack)).toBe(haystack.includes(needle))
      }),
    )
  })

  it('takes linear time when prefixes or suffixes match everywhere', () => {
    const haystack = 'a'.repeat(1_000_000)
    const letters = 'a'.repeat(250_000)
    const cpuMs = measureCpuMs(() => {
      for (const needle of [`${letters}b${letters}`, `b${letters}`, `${letters}b`])
        expect(createSubstringSearch(needle)(haystack)).toBe(false)
      expect(createSubstringSearch(letters)(haystack)).toBe(true)
    })
    expect(cpuMs).toBeLessThan(2_000)
  })
})
