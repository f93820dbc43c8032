import { expect, test } from 'vitest'
import { accumulate, smooth } from '../../../../src/service/insight/trends/shape-numbers.ts'

test('smooth averages each number with those before it', () => {
  expect(smooth([3, 6, 0, 9], 1)).toEqual([3, 6, 0, 9])
  expect(smooth([3, 6, 0, 9], 3)).toEqual([3, 4.5, 3, 5])
  expect(smooth([3, 6], 10)).toEqual([3, 4.5])
  expect(smooth([0.1, 0.2, 0.3, 0], 2)).toEqual([0.1, 0.15, 0.25, 0.15])
  expect(smooth([], 2)).toEqual([])
})

test('accumulate adds up', () => {
  expect(accumulate([3, 0, -1])).toEqual([3, 3, 2])
  expect(accumulate([0.1, 0.2, -0.3, 1.1])).toEqual([0.1, 0.3, 0, 1.1])
  expect(accumulate([])).toEqual([])
})
