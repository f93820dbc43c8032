import * as fc from 'fast-check'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { EventStore } from '../../../../../../src/service/store/events/event-store.ts'
import { positionOf } from '../../../../../../src/service/store/events/duckdb/query/sql-position.ts'
import { openTestEventStore } from '../../../../support/event-store.ts'
import { readError } from './read-error.ts'

let store: EventStore
let close: () => Promise<void>
beforeAll(async () => {
  ;({ store, close } = await openTestEventStore(1))
})
afterAll(() => close())

it.each([
  ['selec 1', 'syntax', 1, 1],
  ['SELECT\n  event,\n  evnt\nFROM events', 'invalid', 3, 3],
  ["SELECT 'ä€😀', evnt FROM events", 'invalid', 1, 15],
  [`SELECT ${'event, '.repeat(40)}evnt, ${'event, '.repeat(40)}1 FROM events`, 'invalid', 1, 288],
  ["SELECT 'x'::TIMESTAMP", 'invalid', 1, 11],
  ['SELECT sum(sum(1))', 'invalid', 1, 12],
  ["SELECT 1\n\n,'unfinished", 'syntax', 3, 2],
  ['SELECT * FROM events LIMIT -1', 'invalid', 1, 28],
] as const)('an error names line and column: %s', async (sql, code, line, column) => {
  const error = await readError(store, sql)
  expect(error.code).toBe(code)
  expect(error.message).toContain(`(line ${line}, column ${column})`)
})

it.each([
  ['SELECT 1e400', 1, 8],
  ['SELECT -1e999 AS x', 1, 8],
  ['SELECT \'"value":inf\',\n[1, 2e308]', 2, 5],
  ['SELECT 1 LIMIT 1e400', 1, 16],
] as const)('a number that is too large is a mistake in the query: %s', async (sql, line, column) => {
  const error = await readError(store, sql)
  expect(error.code).toBe('invalid')
  expect(error.message).toContain(`(line ${line}, column ${column})`)
})

it('counts characters, from 1, after each line break', () => {
  fc.assert(
    fc.property(
      fc.array(fc.string({ unit: 'grapheme' }).map((line) => line.replaceAll('\n', ''))),
      fc.string(),
      (lines, rest) => {
        const offset = Buffer.byteLength(lines.join('\n'))
        expect(positionOf(`${lines.join('\n')}${rest}`, offset)).toEqual({
          line: Math.max(1, lines.length),
          column: Array.from(lines.at(-1) ?? '').length + 1,
        })
      },
    ),
  )
})
