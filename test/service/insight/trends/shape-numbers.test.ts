import { expect, test } from 'vitest'
import { accumulate, smooth } from '../../../../src/service/insight/trends/shape-numbers.ts'

test('smooth averages each number with those before it', () => {
  expect(smooth([3, 6, 0, 9], 1)).toEqual([3, 6, 0, 9])
  expect(smooth([3, 6, 0, 9], 3)).toEqual([3, 4.5, 3, 5])
  expect(smooth([3, 6], 10)).toEqual([3, 4.5])
  expect(smooth([], 2)).toEqual([])
})

test('accumulate adds up', () => {
  expect(accumulate([3, 0, -1])).toEqual([3, 3, 2])
  expect(accumulate([])).toEqual([])
})
