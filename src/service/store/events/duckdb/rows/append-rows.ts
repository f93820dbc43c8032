import type { DuckDBAppender, DuckDBConnection, DuckDBType } from '@duckdb/node-api'
import type { Vector } from '@duckdb/node-bindings'
import { BOOLEAN, DuckDBDataChunk, INTEGER, TIMESTAMPTZ, UUID, VARCHAR } from '@duckdb/node-api'
import duckdb from '@duckdb/node-bindings'
import type { Column, ColumnType } from './column.ts'
import { packRows } from './pack-rows.ts'
import type { PackedColumn, PackedRows } from './packed-rows.ts'
import type { CopiedText } from './string-vector.ts'
import { copyText, writeStrings } from './string-vector.ts'

/** A table, by catalog, schema and name. */
export interface TableName {
  /** Default: the catalog of the connection's file. */
  readonly catalog?: string
  readonly schema: string
  readonly table: string
}

/** Appends rows to a table whose columns have exactly this order. */
export const appendRows = <Row>(
  connection: DuckDBConnection,
  table: TableName,
  columns: readonly Column<Row>[],
  rows: readonly Row[],
): Promise<void> => appendPackedRows(connection, table, packRows(columns, rows))

/** Appends packed rows. They are written as whole vectors of DuckDB, which takes about a tenth of the time of value by value. */
export const appendPackedRows = async (
  connection: DuckDBConnection,
  { catalog, schema, table }: TableName,
  packed: readonly PackedRows[],
): Promise<void> => {
  if (packed.length === 0) return
  const appender = await connection.createAppender(table, schema, catalog)
  let isWritten = false
  try {
    for (const { rowCount, text, columns } of packed) {
      const chunk = DuckDBDataChunk.create(
        columns.map(({ type }) => TYPES[type === 'NULL' ? 'VARCHAR' : type]),
        rowCount,
      )
      let copiedText: CopiedText | null = null
      for (const [index, column] of columns.entries()) {
        const vector = duckdb.data_chunk_get_vector(chunk.chunk, index)
        if (column.type === 'VARCHAR') {
          copiedText ??= copyText(vector, text)
          writeStringColumn(vector, column, copiedText)
        } else writeColumn(vector, column, rowCount)
      }
      appender.appendDataChunk(chunk)
      // The appender would otherwise keep 100 chunks in memory.
      appender.flushSync()
    }
    isWritten = true
  } finally {
    closeAppender(appender, isWritten)
  }
}

/** After a failure, closing fails too, and must not hide the first error. */
const closeAppender = (appender: DuckDBAppender, isWritten: boolean): void => {
  try {
    appender.closeSync()
  } catch (error) {
    if (isWritten) throw error
  }
}

const TYPES: Readonly<Record<ColumnType, DuckDBType>> = { VARCHAR, UUID, TIMESTAMPTZ, INTEGER, BOOLEAN }

const writeStringColumn = (
  vector: Vector,
  { starts, lengths }: Extract<PackedColumn, { type: 'VARCHAR' }>,
  text: CopiedText,
): void => {
  writeStrings(vector, text, starts, lengths)
  const validity = validityOf(lengths)
  if (validity !== null) writeValidity(vector, validity)
}

const writeColumn = (vector: Vector, column: Exclude<PackedColumn, { type: 'VARCHAR' }>, rowCount: number): void => {
  if (column.type === 'NULL') return writeValidity(vector, new Uint8Array(Math.ceil(rowCount / 64) * 8))
  duckdb.copy_data_to_vector(vector, 0, column.bytes.buffer, 0, column.bytes.length)
  if (column.validity !== null) writeValidity(vector, column.validity)
}

/** The nulls of strings as `PackedColumn.validity`. */
const validityOf = (lengths: Int32Array): Uint8Array<ArrayBuffer> | null => {
  if (!lengths.includes(-1)) return null
  const validity = new Uint8Array(Math.ceil(lengths.length / 64) * 8)
  for (let row = 0; row < lengths.length; row++) if (lengths[row] !== -1) validity[row >> 3]! |= 1 << (row & 7)
  return validity
}

const writeValidity = (vector: Vector, validity: Uint8Array<ArrayBuffer>): void => {
  duckdb.vector_ensure_validity_writable(vector)
  duckdb.copy_data_to_vector_validity(vector, 0, validity.buffer, 0, validity.length)
}
