import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import { createCaseInsensitiveMatcher } from '../../../src/evaluate/operators/case-insensitive-matcher.ts'

// Some of these letters have a lower case that is longer, is ASCII, or depends on the neighbouring letters.
const letters = fc.string({
  unit: fc.constantFrom('a', 'A', 'b', 'B', 'İ', '\u212A', 'k', 'Σ', 'ς', 'é', 'É', '1'),
  maxLength: 4,
})

it('compares strings in lower case, with few and with many candidates', () => {
  const otherCandidates = Array.from({ length: 20 }, (_, n) => `other ${n}`)
  fc.assert(
    fc.property(fc.array(letters, { maxLength: 5 }), letters, fc.boolean(), (strings, input, hasManyCandidates) => {
      const candidates = hasManyCandidates ? [...strings, ...otherCandidates] : strings
      expect(createCaseInsensitiveMatcher(candidates)(input)).toBe(
        candidates.some((candidate) => candidate.toLowerCase() === input.toLowerCase()),
      )
    }),
    { numRuns: 2000 },
  )
})
