import { expect, it } from 'vitest'
import { parseNumericId } from '../../src/service/parse-numeric-id.ts'

it.each([
  ['0', 0],
  ['42', 42],
  ['999999999999999', 999_999_999_999_999],
  ['1000000000000000', null],
  ['', null],
  ['01', null],
  ['00', null],
  ['+1', null],
  [' 1', null],
  ['1 ', null],
  ['0x1', null],
  ['１', null],
  ['-1', null],
  ['1.5', null],
  ['1e3', null],
  ['key-1', null],
])('reads the id %j as %j', (id, number) => {
  expect(parseNumericId(id)).toBe(number)
})
