import { expect, test } from 'vitest'
import { parseByteRange } from '../../../src/service/http/parse-byte-range.ts'

test.each<[string | undefined, ReturnType<typeof parseByteRange>]>([
  [undefined, null],
  ['bytes=0-3', { first: 0, last: 3 }],
  ['bytes=4-', { first: 4, last: 9 }],
  ['bytes=9-9', { first: 9, last: 9 }],
  ['bytes=8-99', { first: 8, last: 9 }],
  ['bytes=-3', { first: 7, last: 9 }],
  ['bytes=-99', { first: 0, last: 9 }],
  ['bytes=10-', 'unsatisfiable'],
  ['bytes=-0', 'unsatisfiable'],
  ['bytes=5-4', null],
  ['bytes=-', null],
  ['bytes=0-1,3-4', null],
  ['lines=0-1', null],
  ['', null],
])('the range %j of ten bytes is %j', (header, range) => {
  expect(parseByteRange(header, 10)).toEqual(range)
})

test('nothing of an empty content can be read', () => {
  expect(parseByteRange('bytes=0-', 0)).toBe('unsatisfiable')
  expect(parseByteRange('bytes=-1', 0)).toBe('unsatisfiable')
})
