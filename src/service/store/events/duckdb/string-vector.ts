import type { Vector } from '@duckdb/node-bindings'
import duckdb from '@duckdb/node-bindings'

/** Maximum number of rows in a vector (DuckDB's `STANDARD_VECTOR_SIZE`). */
export const MAX_VECTOR_ROWS = 2048

/** Size of a `duckdb_string_t`: a length of 4 bytes, then 12 bytes of text, or a prefix of 4 bytes and a pointer. */
const STRING_BYTES = 16
const STRING_WORDS = STRING_BYTES / 4

/** Longest text, in bytes, that a `duckdb_string_t` contains itself. */
const MAX_INLINE_BYTES = 12

/** Long strings of one vector that are remembered. Columns with more have few repetitions within a vector. */
const MAX_REMEMBERED = 256

// Reused for each vector: writing is synchronous.
const elements = new ArrayBuffer(MAX_VECTOR_ROWS * STRING_BYTES)
const elementBytes = new Uint8Array(elements)
const elementWords = new Uint32Array(elements)

/**
 * Writes strings into a VARCHAR vector; null is written as an empty string, so the caller must also mark it as invalid.
 *
 * Each call into DuckDB costs more than the rest of a row. So only long strings are passed one by one: short ones are put
 * together here, and equal ones share one element.
 */
export const writeStrings = (vector: Vector, strings: readonly (string | null)[]): void => {
  const rowCount = strings.length
  elementWords.fill(0, 0, rowCount * STRING_WORDS)
  const firstRows = new Map<string, number>()
  const longRows: number[] = []
  const repetitions: number[] = []
  for (let row = 0; row < rowCount; row++) {
    const string = strings[row]!
    if (string === null || writeInline(string, row)) continue
    const firstRow = firstRows.get(string)
    if (firstRow !== undefined) {
      repetitions.push(row, firstRow)
      continue
    }
    if (firstRows.size < MAX_REMEMBERED) firstRows.set(string, row)
    duckdb.vector_assign_string_element(vector, row, string)
    longRows.push(row)
  }
  if (longRows.length > 0) readElements(vector, rowCount, longRows)
  for (let index = 0; index < repetitions.length; index += 2) copyElement(repetitions[index + 1]!, repetitions[index]!)
  duckdb.copy_data_to_vector(vector, 0, elements, 0, rowCount * STRING_BYTES)
}

/** Writes a string that fits into its element; returns whether it does. */
const writeInline = (string: string, row: number): boolean => {
  const { length } = string
  if (length > MAX_INLINE_BYTES) return false
  const start = row * STRING_BYTES + 4
  for (let index = 0; index < length; index++) {
    const code = string.charCodeAt(index)
    if (code > 0x7f) return false
    elementBytes[start + index] = code
  }
  elementWords[row * STRING_WORDS] = length
  return true
}

/** Reads the elements that DuckDB wrote for long strings. They point into memory of the vector. */
const readElements = (vector: Vector, rowCount: number, rows: readonly number[]): void => {
  // Called once all strings are assigned: the bytes may be a copy of the vector's.
  const { buffer, byteOffset } = duckdb.vector_get_data(vector, rowCount * STRING_BYTES)
  const words = new Uint32Array(buffer, byteOffset, rowCount * STRING_WORDS)
  for (const row of rows) {
    const start = row * STRING_WORDS
    for (let word = start; word < start + STRING_WORDS; word++) elementWords[word] = words[word]!
  }
}

const copyElement = (fromRow: number, toRow: number): void => {
  elementWords.copyWithin(toRow * STRING_WORDS, fromRow * STRING_WORDS, (fromRow + 1) * STRING_WORDS)
}
