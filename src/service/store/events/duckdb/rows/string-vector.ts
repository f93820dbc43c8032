import type { Vector } from '@duckdb/node-bindings'
import duckdb from '@duckdb/node-bindings'
import { MAX_PACKED_ROWS } from './packed-rows.ts'

/** Size of a `duckdb_string_t`: a length of 4 bytes, then 12 bytes of text, or a prefix of 4 bytes and a pointer. */
const STRING_BYTES = 16
const STRING_WORDS = STRING_BYTES / 4

/** Longest text, in bytes, that a `duckdb_string_t` contains itself. */
const MAX_INLINE_BYTES = 12

// Reused for each vector: writing is synchronous.
const elements = new ArrayBuffer(MAX_PACKED_ROWS * STRING_BYTES)
const elementBytes = new Uint8Array(elements)
const elementWords = new Uint32Array(elements)

/** A text in DuckDB's memory. */
export interface CopiedText {
  readonly bytes: Uint8Array
  /** Its address, as two words of 32 bits. */
  readonly low: number
  readonly high: number
}

/**
 * Has DuckDB copy a text into memory that lives as long as a VARCHAR vector. A call into DuckDB for each string would cost more than the
 * rest, so the strings of all vectors of a chunk point into one text.
 */
export const copyText = (vector: Vector, bytes: Uint8Array): CopiedText => {
  // DuckDB would keep a short text in the element.
  if (bytes.length <= MAX_INLINE_BYTES) return { bytes, low: 0, high: 0 }
  duckdb.vector_assign_string_element_len(vector, 0, bytes)
  const { buffer, byteOffset } = duckdb.vector_get_data(vector, STRING_BYTES)
  const element = new DataView(buffer, byteOffset, STRING_BYTES)
  return { bytes, low: element.getUint32(8, true), high: element.getUint32(12, true) }
}

/**
 * Writes strings into a VARCHAR vector. A null (length -1) is written as an empty string, so the caller must also mark it as invalid.
 *
 * @param text with all strings. Must live as long as the vector.
 */
export const writeStrings = (
  vector: Vector,
  { bytes, low, high }: CopiedText,
  starts: Int32Array,
  lengths: Int32Array,
): void => {
  const rowCount = lengths.length
  elementWords.fill(0, 0, rowCount * STRING_WORDS)
  for (let row = 0; row < rowCount; row++) {
    const length = lengths[row]!
    if (length <= 0) continue
    const start = starts[row]!
    const word = row * STRING_WORDS
    const firstByte = row * STRING_BYTES + 4
    elementWords[word] = length
    const copied = length <= MAX_INLINE_BYTES ? length : 4
    for (let index = 0; index < copied; index++) elementBytes[firstByte + index] = bytes[start + index]!
    if (length > MAX_INLINE_BYTES) {
      const pointer = low + start
      elementWords[word + 2] = pointer
      elementWords[word + 3] = pointer > 0xffffffff ? high + 1 : high
    }
  }
  duckdb.copy_data_to_vector(vector, 0, elements, 0, rowCount * STRING_BYTES)
}
