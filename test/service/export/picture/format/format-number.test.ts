import { expect, test } from 'vitest'
import { formatDuration } from '../../../../../src/service/export/picture/format/format-duration.ts'
import {
  formatNumber,
  formatShare,
  formatTick,
} from '../../../../../src/service/export/picture/format/format-number.ts'

test.each([
  [1234567, '1,234,567'],
  [-1234.567, '-1,234.57'],
  [0, '0'],
  [0.00123, '0.0012'],
  [1e21, '1.00e+21'],
])('writes %d as %s', (value, text) => {
  expect(formatNumber(value)).toBe(text)
})

test.each([
  [15_000, 'count', '15,000'],
  [1_500_000, 'count', '1.5M'],
  [2e9, 'count', '2B'],
  [12.34, 'percent', '12.3%'],
] as const)('writes %d (%s) on an axis as %s', (value, unit, text) => {
  expect(formatTick(value, unit)).toBe(text)
})

test('writes shares, also of nothing', () => {
  expect(formatShare(1, 3)).toBe('33.3%')
  expect(formatShare(0, 0)).toBe('0%')
})

test.each([
  [0, '0 s'],
  [59.6, '1 min'],
  [3600, '1 h'],
  [7505, '2 h 5 min'],
  [90_000, '1 d 1 h'],
  [86_405, '1 d'],
])('writes %d seconds as %s', (seconds, text) => {
  expect(formatDuration(seconds)).toBe(text)
})
