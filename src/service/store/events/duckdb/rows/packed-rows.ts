import type { ColumnType } from './column.ts'

/** Maximum number of packed rows: those of one vector (DuckDB's `STANDARD_VECTOR_SIZE`). */
export const MAX_PACKED_ROWS = 2048

/** The values of one column as bytes. */
export type PackedColumn =
  /** Where each string starts in the text of the rows, and its bytes; -1 for null. */
  | { readonly type: 'VARCHAR'; readonly starts: Int32Array<ArrayBuffer>; readonly lengths: Int32Array<ArrayBuffer> }
  /** The bytes as DuckDB stores them, and one bit for each row, 0 for null (`packValidity`); null if no row is null. */
  | {
      readonly type: Exclude<ColumnType, 'VARCHAR'>
      readonly bytes: Uint8Array<ArrayBuffer>
      readonly validity: Uint8Array<ArrayBuffer> | null
    }
  /** Only nulls. */
  | { readonly type: 'NULL' }

/** Up to `MAX_PACKED_ROWS` rows, column by column, as bytes that another thread can take over without a copy. */
export interface PackedRows {
  readonly rowCount: number
  /** UTF-8 with the strings of all columns. Strings may share bytes. */
  readonly text: Uint8Array<ArrayBuffer>
  readonly columns: readonly PackedColumn[]
}

export const countPackedRows = (rows: readonly PackedRows[]): number =>
  rows.reduce((sum, { rowCount }) => sum + rowCount, 0)

/** The buffers that move to another thread with the rows. Columns may share one. */
export const buffersOf = (rows: readonly PackedRows[]): ArrayBuffer[] => {
  const buffers = new Set<ArrayBuffer>()
  for (const { text, columns } of rows) {
    buffers.add(text.buffer)
    for (const column of columns) {
      if (column.type === 'NULL') continue
      if (column.type === 'VARCHAR') buffers.add(column.starts.buffer).add(column.lengths.buffer)
      else {
        buffers.add(column.bytes.buffer)
        if (column.validity !== null) buffers.add(column.validity.buffer)
      }
    }
  }
  return [...buffers]
}

/** The size of packed rows in bytes. */
export const byteLengthOf = (rows: readonly PackedRows[]): number =>
  buffersOf(rows).reduce((bytes, buffer) => bytes + buffer.byteLength, 0)
