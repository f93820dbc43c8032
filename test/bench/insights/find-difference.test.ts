import { expect, it } from 'vitest'
import { findDifference } from './find-difference.mjs'

it('finds no difference in the same rows, in any order and with rounding errors', () => {
  const rows = [
    ['2026-01-01', null, 3],
    ['2026-01-02', 'Chrome', 0.1 + 0.2],
  ]
  expect(findDifference(rows, [['2026-01-02', 'Chrome', 0.3], rows[0]!])).toBeNull()
  expect(findDifference([], [])).toBeNull()
})

it.each([
  ['another number', [['a', 2]], '["a",1] and ["a",2]'],
  ['another value', [['b', 1]], '["a",1] and ["b",1]'],
  [
    'a row more',
    [
      ['a', 1],
      ['b', 1],
    ],
    'undefined and ["b",1]',
  ],
  ['a row less', [], '["a",1] and undefined'],
])('tells %s', (_what, others, difference) => {
  expect(findDifference([['a', 1]], others)).toBe(difference)
})
