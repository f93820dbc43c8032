import type { DuckDBConnection, DuckDBType, DuckDBValue } from '@duckdb/node-api'
import { DuckDBDataChunk } from '@duckdb/node-api'

/** Maximum number of rows of one data chunk: DuckDB's vector size. */
const CHUNK_ROWS = 2048

/** One column of a staging table: its type, and the function that reads its value from a row. */
export interface StagedColumn<Row> {
  readonly type: DuckDBType
  readonly value: (row: Row) => DuckDBValue
}

/** Appends rows to a staging table by whole column vectors, which is several times faster than value by value. */
export const stage = async <Row>(
  connection: DuckDBConnection,
  table: string,
  columns: readonly StagedColumn<Row>[],
  rows: readonly Row[],
): Promise<void> => {
  const appender = await connection.createAppender(table, 'main', 'temp')
  try {
    const types = columns.map((column) => column.type)
    for (let start = 0; start < rows.length; start += CHUNK_ROWS) {
      const chunkRows = rows.slice(start, start + CHUNK_ROWS)
      const chunk = DuckDBDataChunk.create(types, chunkRows.length)
      for (const [index, column] of columns.entries()) chunk.setColumnValues(index, chunkRows.map(column.value))
      appender.appendDataChunk(chunk)
    }
  } finally {
    appender.closeSync()
  }
}
