import { toWellFormed } from '../../to-well-formed-json.ts'
import type { Column } from './column.ts'
import type { PackedColumn, PackedRows } from './packed-rows.ts'
import { MAX_PACKED_ROWS } from './packed-rows.ts'
import { packUuids } from './uuid-words.ts'

/** Packs rows for a table whose columns have exactly this order. Throws `UnstorableError` for a malformed uuid. */
export const packRows = <Row>(columns: readonly Column<Row>[], rows: readonly Row[]): PackedRows[] => {
  const packed: PackedRows[] = []
  for (let start = 0; start < rows.length; start += MAX_PACKED_ROWS) {
    const slice = rows.slice(start, start + MAX_PACKED_ROWS)
    packed.push({ rowCount: slice.length, columns: columns.map((column) => packColumn(column, slice)) })
  }
  return packed
}

const packColumn = <Row>(column: Column<Row>, rows: readonly Row[]): PackedColumn => {
  switch (column.type) {
    case 'VARCHAR':
      return packStrings(column.values(rows))
    case 'UUID': {
      const uuids = column.values(rows)
      return packBytes(column.type, packUuids(uuids), packValidity(uuids))
    }
    case 'TIMESTAMPTZ':
      return packBytes(column.type, BigInt64Array.from(column.values(rows), toMicroseconds))
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

const toMicroseconds = (milliseconds: number): bigint => BigInt(milliseconds) * 1000n

const encoder = new TextEncoder()

/** One call encodes all strings: a call for each would cost more than the rest of the work. */
const packStrings = (strings: readonly (string | null)[]): PackedColumn => {
  const lengths = new Int32Array(strings.length)
  let total = 0
  let nulls = 0
  for (let row = 0; row < strings.length; row++) {
    const string = strings[row]!
    if (string === null) {
      lengths[row] = -1
      nulls += 1
    } else {
      lengths[row] = string.length
      total += string.length
    }
  }
  if (nulls === strings.length) return { type: 'NULL' }
  // `join` leaves nulls out.
  const bytes = encoder.encode(strings.join(''))
  return bytes.length === total ? { type: 'VARCHAR', bytes, lengths } : packUnicode(strings)
}

/** For strings beyond ASCII, which take more bytes than they have characters. */
const packUnicode = (strings: readonly (string | null)[]): PackedColumn => {
  // Two lone surrogates that meet in the joined text would become one character.
  const wellFormed = strings.map((string) => (string === null ? null : toWellFormed(string)))
  const lengths = Int32Array.from(wellFormed, (string) => (string === null ? -1 : Buffer.byteLength(string)))
  return { type: 'VARCHAR', bytes: encoder.encode(wellFormed.join('')), lengths }
}

/** One bit for each row, in words of 64 bits; null if no value is null. */
const packValidity = (values: readonly (string | null)[]): Uint8Array<ArrayBuffer> | null => {
  if (!values.includes(null)) return null
  const validity = new Uint8Array(Math.ceil(values.length / 64) * 8)
  for (const [row, value] of values.entries()) if (value !== null) validity[row >> 3]! |= 1 << (row & 7)
  return validity
}
