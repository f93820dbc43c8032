import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import { textSet } from '../../../src/evaluate/operators/text-set.ts'

// Letters whose lower case is longer, is ASCII though they are not, or depends on what stands beside them.
const letters = fc.string({
  unit: fc.constantFrom('a', 'A', 'b', 'B', 'İ', '\u212A', 'k', 'Σ', 'ς', 'é', 'É', '1'),
  maxLength: 4,
})

it('finds a text among a few and among many as their lower cases say', () => {
  const many = Array.from({ length: 20 }, (_, n) => `other ${n}`)
  fc.assert(
    fc.property(fc.array(letters, { maxLength: 5 }), letters, fc.boolean(), (texts, text, isMany) => {
      const all = isMany ? [...texts, ...many] : texts
      expect(textSet(all)(text)).toBe(all.some((each) => each.toLowerCase() === text.toLowerCase()))
    }),
    { numRuns: 2000 },
  )
})
