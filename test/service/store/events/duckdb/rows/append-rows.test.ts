import { join } from 'node:path'
import * as fc from 'fast-check'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { appendRows } from '../../../../../../src/service/store/events/duckdb/rows/append-rows.ts'
import type { Column } from '../../../../../../src/service/store/events/duckdb/rows/column.ts'
import { openInstance } from '../../../../../../src/service/store/events/duckdb/open-instance.ts'
import { UnstorableError } from '../../../../../../src/service/store/events/event-store.ts'
import { createTempFolder } from '../../../../support/temp-folder.ts'

type Instance = Awaited<ReturnType<typeof openInstance>>

let instance: Instance
let connection: Awaited<ReturnType<Instance['connect']>>
beforeEach(async () => {
  instance = await openInstance(join(createTempFolder(), '1.duckdb'), { memoryMb: 128, spillMb: 16, threads: 1 })
  connection = await instance.connect()
})
afterEach(() => {
  connection.closeSync()
  instance.closeSync()
})

const VALUES = { schema: 'main', table: 'value' }

/** Appends values of one column to a new table and reads them again, in order. */
const roundTrip = async <Value>(column: Column<Value>, values: readonly Value[]): Promise<unknown[]> => {
  await connection.run(`CREATE OR REPLACE TABLE value (v ${column.type})`)
  await appendRows(connection, VALUES, [column], values)
  const reader = await connection.runAndReadAll('SELECT v FROM value')
  return reader.getRows().map(([value]) => value)
}

const identity = <Value>(value: Value): Value => value

test('strings of any length and characters are stored as they are, repeated and missing ones too', async () => {
  const string = fc.oneof(
    fc.string({ maxLength: 30 }),
    fc.string({ unit: 'grapheme', maxLength: 14 }),
    fc.constantFrom(
      '',
      '\0',
      'twelve bytes',
      'thirteen byte',
      'a\0b',
      'é'.repeat(6),
      'é'.repeat(7),
      'a long string '.repeat(50),
    ),
    fc.constant(null),
  )
  const column = { type: 'VARCHAR', values: identity<readonly (string | null)[]> } as const
  await fc.assert(
    fc.asyncProperty(fc.array(string, { maxLength: 200 }), async (strings) => {
      expect(await roundTrip(column, strings)).toEqual(strings)
    }),
    { numRuns: 200 },
  )
})

test('rows are stored in order across vectors', async () => {
  const strings = Array.from({ length: 5000 }, (_, n) =>
    n % 7 === 0 ? null : n % 3 === 0 ? `user ${n % 50} of a site` : `${n}`,
  )
  expect(await roundTrip({ type: 'VARCHAR', values: identity<readonly (string | null)[]> }, strings)).toEqual(strings)
})

test('a lone surrogate becomes the replacement character', async () => {
  const strings = ['\ud800', 'a long string with \udfff in it']
  expect(await roundTrip({ type: 'VARCHAR', values: identity<readonly (string | null)[]> }, strings)).toEqual([
    '\uFFFD',
    'a long string with \uFFFD in it',
  ])
})

test('uuids are stored as they are, and sort as their strings do', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.uuid(), { minLength: 1, maxLength: 50 }), async (uuids) => {
      expect((await roundTrip({ type: 'UUID', values: identity<readonly string[]> }, uuids)).map(String)).toEqual(uuids)
      const sorted = await connection.runAndReadAll('SELECT v FROM value ORDER BY v')
      expect(sorted.getRows().map(String)).toEqual([...uuids].sort())
    }),
    { numRuns: 50 },
  )
})

test.each(['', 'not a uuid', '019a0000-0000-7000-8000-00000000000g', '019a0000-0000-7000-8000-00000000000'])(
  'the malformed uuid "%s" is unstorable',
  async (uuid) => {
    await expect(roundTrip({ type: 'UUID', values: identity<readonly string[]> }, [uuid])).rejects.toThrow(
      UnstorableError,
    )
  },
)

test('times are stored to the millisecond, from year 1 to 9999', async () => {
  const times = [Date.parse('0001-01-01T00:00:00Z'), -1, 0, 1, Date.parse('9999-12-31T23:59:59.999Z')]
  await connection.run('CREATE TABLE value (v TIMESTAMPTZ)')
  await appendRows(connection, VALUES, [{ type: 'TIMESTAMPTZ', values: identity<readonly number[]> }], times)
  const reader = await connection.runAndReadAll('SELECT epoch_ms(v) FROM value')
  expect(reader.getRows().map(([ms]) => Number(ms))).toEqual(times)
})

test('booleans are stored', async () => {
  const values = [true, false, true]
  expect(await roundTrip({ type: 'BOOLEAN', values: identity<readonly boolean[]> }, values)).toEqual(values)
})
