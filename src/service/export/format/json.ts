import { createJsonRowFormatter } from '../../../wire/result/format-ndjson.ts'
import type { Table } from '../table/table.ts'

/** Name of the column that tells the table of a row, where tables have titles. */
const TITLE_COLUMN = 'insight'

/** Formats each row of tables as a JSON object. */
const formatRows = async function* (tables: AsyncIterable<Table>): AsyncGenerator<string> {
  for await (const { title, columns, rows } of tables) {
    const first = title === null ? [] : [title]
    const format = createJsonRowFormatter(title === null ? columns : [TITLE_COLUMN, ...columns])
    for await (const row of rows) yield format([...first, ...row])
  }
}

/** Writes the rows of tables as JSON objects, one in each line. */
export const writeNdjson = async function* (tables: AsyncIterable<Table>): AsyncGenerator<string> {
  for await (const row of formatRows(tables)) yield `${row}\n`
}

/** Writes the rows of tables as one JSON array of objects. */
export const writeJson = async function* (tables: AsyncIterable<Table>): AsyncGenerator<string> {
  let isFirst = true
  yield '['
  for await (const row of formatRows(tables)) {
    yield isFirst ? `\n${row}` : `,\n${row}`
    isFirst = false
  }
  yield '\n]\n'
}
