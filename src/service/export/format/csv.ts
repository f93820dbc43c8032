import { CSV_LINE_END, formatCsvRow } from '../../../wire/result/format-csv.ts'
import { toSafeCell } from '../../../wire/result/to-safe-cell.ts'
import type { Table } from '../table/table.ts'

/** How CSV is written. */
export interface CsvOptions {
  /** Whether it begins with a byte order mark, by which Excel knows UTF-8. Default: false. */
  readonly bom?: boolean
  /** Whether cells that spreadsheet programs take for formulas stay as they are. Default: false (`toSafeCell`). */
  readonly raw?: boolean
}

/** Writes tables as CSV (RFC 4180), each with a header. Titles are lines of their own, and an empty line is between two tables. */
export const writeCsv = async function* (
  tables: AsyncIterable<Table>,
  { bom = false, raw = false }: CsvOptions = {},
): AsyncGenerator<string> {
  const format = (row: readonly unknown[]): string => formatCsvRow(raw ? row : row.map(toSafeCell))
  if (bom) yield '\uFEFF'
  let isFirst = true
  for await (const { title, columns, rows } of tables) {
    if (!isFirst) yield CSV_LINE_END
    isFirst = false
    if (title !== null) yield format([title])
    yield format(columns)
    for await (const row of rows) yield format(row)
  }
}
