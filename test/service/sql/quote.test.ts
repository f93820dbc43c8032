import * as fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { writeJsonPointer } from '../../../src/service/sql/json-pointer.ts'
import { quoteIdentifier, quoteString } from '../../../src/service/sql/quote.ts'
import { openInstance } from '../../../src/service/store/events/duckdb/open-instance.ts'

/** As the service stores a string; `String.prototype.toWellFormed` is newer than the types of the tests. */
const toWellFormed = (string: string): string => string.replace(/\p{Surrogate}/gu, '\uFFFD')

describe('DuckDB reads', () => {
  let instance: Awaited<ReturnType<typeof openInstance>>
  let connection: Awaited<ReturnType<typeof instance.connect>>
  beforeAll(async () => {
    instance = await openInstance(':memory:', { memoryMb: 128, spillMb: 0, threads: 1 })
    connection = await instance.connect()
  })
  afterAll(() => {
    connection.closeSync()
    instance.closeSync()
  })

  const text = fc.oneof(
    fc.string(),
    fc.string({ unit: fc.constantFrom("'", '"', '\0', '\\', '~', '/', '$', 'ü', '\ud800') }),
  )

  it('any string as it is, lone surrogates as U+FFFD', () =>
    fc.assert(
      fc.asyncProperty(text, async (string) => {
        const reader = await connection.runAndReadAll(`SELECT ${quoteString(string)}`)
        expect(reader.getRows()).toEqual([[toWellFormed(string)]])
      }),
      { numRuns: 200 },
    ))

  it('any name without a NUL', () =>
    fc.assert(
      fc.asyncProperty(text, async (string) => {
        const name = toWellFormed(string).replaceAll('\0', '')
        fc.pre(name !== '')
        const reader = await connection.runAndReadAll(`SELECT 1 AS ${quoteIdentifier(name)}`)
        expect(reader.columnNames()).toEqual([name])
      }),
      { numRuns: 200 },
    ))

  it('the members that a JSON Pointer names', () =>
    fc.assert(
      fc.asyncProperty(text, text, async (outer, inner) => {
        const names = [outer, inner].map((name) => toWellFormed(name).replaceAll('\0', ''))
        const json = JSON.stringify({ [names[0]!]: { [names[1]!]: 7 } })
        const reader = await connection.runAndReadAll(
          `SELECT json_extract_string(${quoteString(json)}, ${quoteString(writeJsonPointer(names))})`,
        )
        expect(reader.getRows()).toEqual([['7']])
      }),
      { numRuns: 200 },
    ))
})
