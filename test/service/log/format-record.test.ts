import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { describeError, formatRecord, toOneLine } from '../../../src/service/log/format-record.ts'
import { createSqliteError } from '../../../src/service/store/sqlite/sqlite.ts'
import { QueryError } from '../../../src/service/indexer/query-error.ts'

const format = (message: string): string =>
  formatRecord({ time: Date.UTC(2026, 10, 28, 4), level: 'warn', subject: 'indexer', message })

test('has the time, the level and the subject', () => {
  expect(format('It ended.')).toBe('2026-11-28T04:00:00.000Z warn  indexer: It ended.')
  expect(formatRecord({ time: 0, level: 'error', subject: 'http', message: 'x' })).toBe(
    '1970-01-01T00:00:00.000Z error http: x',
  )
})

test('keeps a message in one record, whatever characters it has', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (message) => {
      const [first, ...further] = format(message).split(/\n|\r/)
      expect(first).toMatch(/^2026-11-28T04:00:00\.000Z warn {2}indexer: /)
      for (const line of further) expect(line).toMatch(/^ {4}/)
      // oxlint-disable-next-line no-control-regex
      expect(format(message)).not.toMatch(/[\u0000-\u0009\u000b-\u001f]/)
      expect(toOneLine(message)).not.toContain('\n')
    }),
  )
})

test('escapes what moves the cursor of a terminal or turns a line around', () => {
  const codes = [0x00, 0x1b, 0x7f, 0x9b, 0x200f, 0x2028, 0x202e, 0x2066]
  for (const code of codes) {
    const escaped = String.raw`\u${code.toString(16).padStart(4, '0')}`
    expect(format(`a${String.fromCharCode(code)}b`)).toContain(`a${escaped}b`)
  }
  expect(format('Umsätze 売上 é')).toContain('Umsätze 売上 é')
})

test('describes an error of a disk in one line, and one of the code with its stack', () => {
  const full = createSqliteError('database or disk is full', 'SQLITE_FULL')
  expect(describeError(new Error('The inbox cannot be written.', { cause: full }))).toBe(
    'The inbox cannot be written: database or disk is full.',
  )
  expect(describeError(new QueryError('store_unavailable', 'The store is closed.'))).toBe('The store is closed.')
  expect(describeError(new TypeError('x is undefined'))).toMatch(/^TypeError: x is undefined\n {4}at /)
  expect(describeError('a\nb')).toBe('a b')
})
