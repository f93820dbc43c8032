import { createRequire } from 'node:module'

const duckdb = createRequire(new URL('../../../../src/service/package.json', import.meta.url))('@duckdb/node-bindings')

/** DuckDB's `STANDARD_VECTOR_SIZE`. */
export const MAX_VECTOR_ROWS = 2048

const vectorOf = (chunk, index) => duckdb.data_chunk_get_vector(chunk.chunk, index)

const copy = (vector, { buffer, byteOffset, byteLength }) =>
  duckdb.copy_data_to_vector(vector, 0, buffer, byteOffset, byteLength)

/** Marks nulls: one bit per row, which is 0 for a null. */
const markNulls = (vector, values) => {
  if (!values.includes(null)) return
  const validity = new Uint8Array(Math.ceil(values.length / 64) * 8)
  for (let row = 0; row < values.length; row++) if (values[row] !== null) validity[row >> 3] |= 1 << (row & 7)
  duckdb.vector_ensure_validity_writable(vector)
  duckdb.copy_data_to_vector_validity(vector, 0, validity.buffer, 0, validity.byteLength)
}

export const writeBooleans = (chunk, index, values) => {
  const vector = vectorOf(chunk, index)
  copy(vector, Uint8Array.from(values, Number))
  markNulls(vector, values)
}

export const writeNumbers = (chunk, index, values) => {
  const vector = vectorOf(chunk, index)
  copy(vector, Float64Array.from(values))
  markNulls(vector, values)
}

/** Takes milliseconds; DuckDB stores microseconds as integers of 64 bits. */
export const writeTimestamps = (chunk, index, values) => {
  const words = new Uint32Array(values.length * 2)
  for (let row = 0; row < values.length; row++) {
    const microseconds = values[row] * 1000
    words[row * 2] = microseconds % 2 ** 32
    words[row * 2 + 1] = microseconds / 2 ** 32
  }
  copy(vectorOf(chunk, index), words)
}

/** DuckDB stores 128 bits in little-endian order, with the highest bit flipped. */
export const writeUuids = (chunk, index, values) => {
  const bytes = Buffer.from(values.join('').replaceAll('-', ''), 'hex')
  for (let start = 0; start < bytes.length; start += 16) {
    bytes.subarray(start, start + 16).reverse()
    bytes[start + 15] ^= 0x80
  }
  copy(vectorOf(chunk, index), bytes)
}

/** A `duckdb_string_t` has a length of 4 bytes, then up to 12 bytes of text, or a prefix and a pointer. */
const STRING_WORDS = 4
const MAX_INLINE_LENGTH = 12
/** Columns with more different strings are not searched for equal ones. */
const MAX_KNOWN_STRINGS = 256

const stringBytes = Buffer.alloc(MAX_VECTOR_ROWS * STRING_WORDS * 4)
const stringWords = new Uint32Array(stringBytes.buffer, stringBytes.byteOffset, MAX_VECTOR_ROWS * STRING_WORDS)

/** Each call into DuckDB is slow, so short strings are built here, and equal long ones are passed once. */
export const writeStrings = (chunk, index, values) => {
  const vector = vectorOf(chunk, index)
  stringWords.fill(0, 0, values.length * STRING_WORDS)
  const firstRows = new Map()
  const [assigned, repeated] = [[], []]
  for (let row = 0; row < values.length; row++) {
    const value = values[row]
    if (value === null || writeInline(value, row)) continue
    const firstRow = firstRows.get(value)
    if (firstRow === undefined) {
      if (firstRows.size < MAX_KNOWN_STRINGS) firstRows.set(value, row)
      duckdb.vector_assign_string_element(vector, row, value)
      assigned.push(row)
    } else repeated.push([row, firstRow])
  }
  copyAssigned(vector, values.length, assigned)
  for (const [row, firstRow] of repeated)
    stringWords.copyWithin(row * STRING_WORDS, firstRow * STRING_WORDS, (firstRow + 1) * STRING_WORDS)
  copy(vector, stringBytes.subarray(0, values.length * STRING_WORDS * 4))
  markNulls(vector, values)
}

const writeInline = (value, row) => {
  if (value.length > MAX_INLINE_LENGTH) return false
  const start = row * STRING_WORDS * 4
  for (let at = 0; at < value.length; at++) {
    const code = value.charCodeAt(at)
    if (code > 0x7f) return false
    stringBytes[start + 4 + at] = code
  }
  stringWords[row * STRING_WORDS] = value.length
  return true
}

/** Takes over the elements that DuckDB has written, because the whole vector is overwritten. */
const copyAssigned = (vector, rowCount, rows) => {
  if (rows.length === 0) return
  const { buffer, byteOffset } = duckdb.vector_get_data(vector, rowCount * STRING_WORDS * 4)
  const words = new Uint32Array(buffer, byteOffset, rowCount * STRING_WORDS)
  for (const row of rows)
    for (let at = row * STRING_WORDS; at < (row + 1) * STRING_WORDS; at++) stringWords[at] = words[at]
}
