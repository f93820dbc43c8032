import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { writeJsonPointer } from '../../../../../../src/service/sql/json-pointer.ts'
import { quoteString } from '../../../../../../src/service/sql/quote.ts'
import { fillNextRows } from '../../../../../../src/service/store/events/duckdb/event-table/fill-columns.ts'
import {
  addPropertyColumns,
  openPropertyColumns,
  readPropertyColumns,
} from '../../../../../../src/service/store/events/duckdb/event-table/property-column.ts'
import { openInstance } from '../../../../../../src/service/store/events/duckdb/open-instance.ts'
import { TABLES } from '../../../../../../src/service/store/events/duckdb/schema.ts'
import { toWellFormedJson } from '../../../../../../src/service/store/events/to-well-formed-json.ts'
import type { Json } from '../../../../../../src/wire/json.ts'

const NAMES = ['a', 'b.c', '~/1', "it's", '$[0]']

const properties = fc.dictionary(
  fc.constantFrom(...NAMES),
  fc.oneof(fc.jsonValue(), fc.string({ unit: 'binary' }), fc.double({ noNaN: true, noDefaultInfinity: true })),
  { noNullPrototype: true },
)

test('a filled column has the text that the operator ->> returns, for any value', async () => {
  const instance = await openInstance(':memory:', { memoryMb: 128, spillMb: 0, threads: 1 })
  const connection = await instance.connect()
  for (const statement of TABLES) await connection.run(statement)
  await addPropertyColumns(connection, await openPropertyColumns(connection), NAMES)
  const readRows = async (columns: readonly string[]) =>
    (await connection.runAndReadAll(`SELECT ${columns.join(', ')} FROM internal.events ORDER BY rowid`)).getRows()
  await fc.assert(
    fc.asyncProperty(fc.array(properties, { minLength: 1, maxLength: 20 }), async (objects) => {
      const rows = objects.map((value) => `(${quoteString(toWellFormedJson(value as Json))})`)
      await connection.run(
        `INSERT INTO internal.events BY NAME SELECT uuid() AS uuid, 'e' AS event, 0 AS distinct_id_number, now() AS timestamp,
          now() AS received_at, false AS historical, 25 AS layout, '{0}' AS shape, rest FROM (VALUES ${rows.join(', ')}) AS rows(rest)`,
      )
      await connection.run(
        'UPDATE internal.property_columns SET unfilled_rows = (SELECT count(*) FROM internal.events) WHERE number > 24',
      )
      while (await fillNextRows(connection, await readPropertyColumns(connection))) continue
      expect(await readRows(NAMES.map((_, index) => `p${25 + index}`))).toEqual(
        await readRows(NAMES.map((name) => `rest->>${quoteString(writeJsonPointer([name]))}`)),
      )
    }),
    { numRuns: 50 },
  )
  connection.closeSync()
  instance.closeSync()
})
