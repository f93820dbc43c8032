import { expect, test } from 'vitest'
import { bytes, count, counted, duration } from '../../../src/import/command/words.ts'

test('numbers have their thousands apart, and nouns their plural', () => {
  expect([count(1234567.4), counted(1, 'event'), counted(0, 'event'), counted(2000, 'batch', 'batches')]).toEqual([
    '1,234,567',
    '1 event',
    '0 events',
    '2,000 batches',
  ])
})

test.each([
  [0, '0 B'],
  [999, '999 B'],
  [12_345, '12 kB'],
  [3_449_999, '3.4 MB'],
  [1_234_500_000, '1,234.5 MB'],
])('%d bytes are %s', (value, text) => expect(bytes(value)).toBe(text))

test.each([
  [0.04, '0.0 s'],
  [9.94, '9.9 s'],
  [40, '40 s'],
  [59.6, '1 min 0 s'],
  [200, '3 min 20 s'],
  [3599.7, '1 h 0 min'],
  [7500, '2 h 5 min'],
])('%d seconds are %s', (value, text) => expect(duration(value)).toBe(text))
