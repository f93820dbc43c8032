import { expect, test } from 'vitest'
import { formatBytes, formatCount, formatDuration, formatNumber } from '../../../src/command/import/format-numbers.ts'

test('formats numbers with thousands separators, and counts with their nouns', () => {
  expect([
    formatNumber(1234567.4),
    formatCount(1, 'event'),
    formatCount(0, 'event'),
    formatCount(2000, 'batch', 'batches'),
  ]).toEqual(['1,234,567', '1 event', '0 events', '2,000 batches'])
})

test.each([
  [0, '0 B'],
  [999, '999 B'],
  [12_345, '12 kB'],
  [3_449_999, '3.4 MB'],
  [1_234_500_000, '1,234.5 MB'],
])('formats %d bytes as %s', (bytes, expected) => expect(formatBytes(bytes)).toBe(expected))

test.each([
  [0.04, '0.0 s'],
  [9.94, '9.9 s'],
  [40, '40 s'],
  [59.6, '1 min 0 s'],
  [200, '3 min 20 s'],
  [3599.7, '1 h 0 min'],
  [7500, '2 h 5 min'],
])('formats %d seconds as %s', (seconds, expected) => expect(formatDuration(seconds)).toBe(expected))
