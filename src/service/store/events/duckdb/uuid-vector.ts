import type { Vector } from '@duckdb/node-bindings'
import duckdb from '@duckdb/node-bindings'
import { UnstorableError } from '../event-store.ts'
import { MAX_VECTOR_ROWS } from './string-vector.ts'

const UUID_BYTES = 16

/** The value of each hexadecimal digit by its character code; 16 for other characters. */
const DIGITS = Uint8Array.from({ length: 128 }, (_, code) => {
  const digit = Number.parseInt(String.fromCharCode(code), 16)
  return Number.isNaN(digit) ? 16 : digit
})

// Reused for each vector: writing is synchronous.
const words = new Uint32Array((MAX_VECTOR_ROWS * UUID_BYTES) / 4)

/**
 * Writes uuids into a UUID vector: integers of 128 bits in little-endian order whose highest bit is flipped, so that they sort like the
 * strings. Null is written as any uuid, so the caller must also mark it as invalid. Throws `UnstorableError` for a string that is not a uuid.
 */
export const writeUuids = (vector: Vector, uuids: readonly (string | null)[]): void => {
  for (const [row, uuid] of uuids.entries()) {
    if (uuid === null) continue
    const first = row * 4
    words[first + 3] = readWord(uuid, 0, 4) ^ 0x80000000
    words[first + 2] = readWord(uuid, 9, 14)
    words[first + 1] = readWord(uuid, 19, 24)
    words[first] = readWord(uuid, 28, 32)
  }
  duckdb.copy_data_to_vector(vector, 0, words.buffer, 0, uuids.length * UUID_BYTES)
}

/** Reads 32 bits from two groups of four digits. */
const readWord = (uuid: string, firstIndex: number, secondIndex: number): number =>
  (readGroup(uuid, firstIndex) << 16) | readGroup(uuid, secondIndex)

const readGroup = (uuid: string, index: number): number => {
  let value = 0
  for (let at = index; at < index + 4; at++) {
    const digit = DIGITS[uuid.charCodeAt(at)] ?? 16
    if (digit > 15) throw new UnstorableError('content', new Error(`The uuid ${JSON.stringify(uuid)} is malformed.`))
    value = (value << 4) | digit
  }
  return value
}
