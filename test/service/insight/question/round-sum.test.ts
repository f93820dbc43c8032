import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { roundSum } from '../../../../src/service/insight/question/round-sum.ts'
import { sumNumbers } from '../../../../src/service/insight/question/sum-numbers.ts'

describe('a sum of fractions', () => {
  it.each([
    [[0.1, 0.2], 0.3],
    [[0.1, 0.2, -0.3], 0],
    [[19.99, 5.01, -25], 0],
    [[1.1, 2.2, 3.3], 6.6],
    [[1e15, 0.25], 1e15 + 0.25],
    [[1e308, 1e308], Infinity],
    [[], 0],
  ])('is that of decimals: %j', (numbers, expected) => {
    expect(sumNumbers(numbers)).toBe(expected)
  })

  it('is exact for amounts of money, however many', () => {
    const cents = fc.integer({ min: -10_000_000, max: 10_000_000 })
    fc.assert(
      fc.property(
        fc.array(cents, { minLength: 1, maxLength: 500 }),
        fc.integer({ min: 0, max: 4 }),
        (amounts, digits) => {
          const scale = 10 ** digits
          const exact = amounts.reduce((sum, amount) => sum + amount, 0) / scale
          expect(sumNumbers(amounts.map((amount) => amount / scale)) + 0).toBe(exact + 0)
        },
      ),
    )
  })

  it.each([1 / 3, 2 / 7, Math.PI, 0.123456789012345, 9007199254740991, 1e300, 5e-324, Infinity, -1.5])(
    'stays as it is if it is no shorter decimal: %d',
    (number) => {
      expect(roundSum(number)).toBe(number)
    },
  )

  it('is never rounded further than its error', () => {
    fc.assert(
      fc.property(fc.double({ noNaN: true }), fc.double({ min: 0, noNaN: true }), (sum, more) => {
        const magnitude = Math.abs(sum) + more
        fc.pre(Number.isFinite(magnitude))
        expect(Math.abs(roundSum(sum, magnitude) - sum)).toBeLessThanOrEqual(magnitude * 1e-14)
      }),
    )
  })
})
