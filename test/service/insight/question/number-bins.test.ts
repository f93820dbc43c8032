import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { divideRange, nameBins } from '../../../../src/service/insight/question/number-bins.ts'

test.each<[string, number, number, number, readonly number[]]>([
  ['has bins of the same width', 0, 10, 4, [0, 2.5, 5, 7.5, 10]],
  ['has rounded bounds', 0, 0.3, 3, [0, 0.1, 0.2, 0.3]],
  ['has negative bounds', -1, 1, 2, [-1, 0, 1]],
  ['is one bin', 1, 2, 1, [1, 2]],
  ['is one bin of one number', 5, 5, 10, [5, 5]],
  ['may be of the greatest numbers', -1e308, 1e308, 2, [-1e308, 0, 1e308]],
  ['keeps bounds that are close to each other', 1e9, 1e9 + 1e-6, 2, [1e9, 1e9 + 4.76837158203125e-7, 1e9 + 1e-6]],
])('a range %s', (_, least, greatest, count, bounds) => {
  expect(divideRange({ least, greatest }, count)).toEqual(bounds)
})

test('the bounds of any range rise', () => {
  const number = fc.double({ noNaN: true, noDefaultInfinity: true })
  fc.assert(
    fc.property(number, number, fc.integer({ min: 1, max: 99 }), (a, b, count) => {
      const [least, greatest] = [Math.min(a, b), Math.max(a, b)]
      const bounds = divideRange({ least, greatest }, count)
      expect([bounds[0], bounds.at(-1)]).toEqual([least, greatest])
      expect(bounds.length).toBeLessThanOrEqual(count + 1)
      for (const [index, bound] of bounds.entries())
        if (index > 0 && least < greatest) expect(bound).toBeGreaterThan(bounds[index - 1]!)
    }),
  )
})

test('a bin is named by its bounds', () => {
  expect(nameBins([0, 2.5, 1e21])).toEqual(['[0,2.5]', '[2.5,1e+21]'])
  expect(nameBins([])).toEqual([])
})
