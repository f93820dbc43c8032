import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { includes } from '../../../src/evaluate/operators/includes.ts'

const few = fc.constantFrom('a', 'b', 'ab', 'aa')

describe('a part of a text', () => {
  it('is found where the built-in search finds it, long or short', () => {
    const part = fc
      .tuple(fc.array(few, { maxLength: 6 }), fc.integer({ min: 1, max: 150 }))
      .map(([units, times]) => units.join('').repeat(times))
    const around = fc.array(few, { maxLength: 300 }).map((units) => units.join(''))
    fc.assert(
      fc.property(part, around, around, fc.nat(700), (wanted, before, after, cut) => {
        for (const text of [before + wanted + after, before + wanted.slice(0, cut) + after, wanted.slice(cut)])
          expect(includes(wanted)(text)).toBe(text.includes(wanted))
      }),
    )
  })

  it('is looked for in linear time where it begins, or ends, all over the text', () => {
    const text = 'a'.repeat(1_000_000)
    const run = 'a'.repeat(250_000)
    const started = performance.now()
    expect([`${run}b${run}`, `b${run}`, `${run}b`].map((part) => includes(part)(text))).toEqual([false, false, false])
    expect(includes(run)(text)).toBe(true)
    expect(performance.now() - started).toBeLessThan(2_000)
  })
})
