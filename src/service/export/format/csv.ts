import { formatCsvRow } from '../../../wire/result/format-csv.ts'
import type { Table } from '../table/table.ts'

/** Writes tables as CSV (RFC 4180), each with a header. Titles are lines of their own, and an empty line is between two tables. */
export const writeCsv = async function* (tables: AsyncIterable<Table>): AsyncGenerator<string> {
  let isFirst = true
  for await (const { title, columns, rows } of tables) {
    if (!isFirst) yield '\n'
    isFirst = false
    if (title !== null) yield formatCsvRow([title])
    yield formatCsvRow(columns)
    for await (const row of rows) yield formatCsvRow(row)
  }
}
