import { expect, it } from 'vitest'
import { quoteName, quoteString } from '../../../src/service/sql/quote-clickhouse.ts'

it.each([
  ["it's", "'it\\'s'"],
  ['a\\', "'a\\\\'"],
  ['a\0b', "'a\\0b'"],
  ['\ud800', "'\uFFFD'"],
])('writes the string %j', (string, sql) => {
  expect(quoteString(string)).toBe(sql)
})

it('writes names', () => {
  expect(quoteName('a`b\\c')).toBe('`a\\`b\\\\c`')
})
