import type { Column } from './column.ts'
import type { PackedColumn, PackedRows } from './packed-rows.ts'
import { MAX_PACKED_ROWS } from './packed-rows.ts'
import { packTimes } from './pack-times.ts'
import type { TextBuilder } from './text-builder.ts'
import { createTextBuilder } from './text-builder.ts'
import { packUuids } from './uuid-words.ts'

/** Room for the strings of a row, at first. */
const BYTES_PER_ROW = 64

/** Packs rows for a table whose columns have exactly this order. Throws `UnstorableError` for a malformed uuid. */
export const packRows = <Row>(columns: readonly Column<Row>[], rows: readonly Row[]): PackedRows[] =>
  packSlices(rows, BYTES_PER_ROW, (slice, text) => columns.map((column) => packColumn(column, slice, text)))

/**
 * Packs rows slice by slice.
 *
 * @param bytesPerRow Room for the strings of a row, at first.
 * @param packColumns adds the strings of a slice to a text and returns its columns.
 */
export const packSlices = <Row>(
  rows: readonly Row[],
  bytesPerRow: number,
  packColumns: (slice: readonly Row[], text: TextBuilder) => PackedColumn[],
): PackedRows[] => {
  const packed: PackedRows[] = []
  for (let start = 0; start < rows.length; start += MAX_PACKED_ROWS) {
    const slice = rows.slice(start, start + MAX_PACKED_ROWS)
    const text = createTextBuilder(slice.length * bytesPerRow)
    const columns = packColumns(slice, text)
    packed.push({ rowCount: slice.length, text: text.take(), columns })
  }
  return packed
}

/** Packs the values that a column has of rows. Its strings are added to the text. */
export const packColumn = <Row>(column: Column<Row>, rows: readonly Row[], text: TextBuilder): PackedColumn => {
  switch (column.type) {
    case 'VARCHAR':
      return packStrings(column.values(rows), text)
    case 'UUID': {
      const uuids = column.values(rows)
      return packBytes(column.type, packUuids(uuids), packValidity(uuids))
    }
    case 'TIMESTAMPTZ':
      return packBytes(column.type, packTimes(column.values(rows)))
    case 'INTEGER':
      return packBytes(column.type, Int32Array.from(column.values(rows)))
    default:
      return packBytes(column.type, Uint8Array.from(column.values(rows), Number))
  }
}

const packBytes = (
  type: Exclude<PackedColumn['type'], 'VARCHAR' | 'NULL'>,
  { buffer }: { readonly buffer: ArrayBuffer },
  validity: Uint8Array<ArrayBuffer> | null = null,
): PackedColumn => ({ type, bytes: new Uint8Array(buffer), validity })

/** A string that occurs several times, such as the name of an event, is in the text once. */
const packStrings = (strings: readonly (string | null)[], text: TextBuilder): PackedColumn => {
  const starts = new Int32Array(strings.length)
  const lengths = new Int32Array(strings.length).fill(-1)
  const rowOf = new Map<string, number>()
  for (const [row, string] of strings.entries()) {
    if (string === null) continue
    const sameRow = rowOf.get(string)
    if (sameRow === undefined) {
      starts[row] = text.addString(string)
      lengths[row] = text.length() - starts[row]
      rowOf.set(string, row)
    } else {
      starts[row] = starts[sameRow]!
      lengths[row] = lengths[sameRow]!
    }
  }
  return rowOf.size === 0 ? { type: 'NULL' } : { type: 'VARCHAR', starts, lengths }
}

/** One bit for each row, in words of 64 bits; null if no value is null. */
const packValidity = (values: readonly (string | null)[]): Uint8Array<ArrayBuffer> | null => {
  if (!values.includes(null)) return null
  const validity = new Uint8Array(Math.ceil(values.length / 64) * 8)
  for (const [row, value] of values.entries()) if (value !== null) validity[row >> 3]! |= 1 << (row & 7)
  return validity
}
