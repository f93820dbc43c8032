import { UnstorableError } from '../../event-store.ts'

/** Words of 32 bits in a uuid. */
export const UUID_WORDS = 4

/** The value of each hexadecimal digit by its character code; 16 for other characters. */
const DIGITS = Uint8Array.from({ length: 128 }, (_, code) => {
  const digit = Number.parseInt(String.fromCharCode(code), 16)
  return Number.isNaN(digit) ? 16 : digit
})

/**
 * Packs uuids as DuckDB stores them: integers of 128 bits in little-endian order whose highest bit is flipped, so that they sort like the
 * strings. Null is packed as zeros. Throws `UnstorableError` for a string that is not a uuid.
 */
export const packUuids = (uuids: readonly (string | null)[]): Uint32Array<ArrayBuffer> => {
  const words = new Uint32Array(uuids.length * UUID_WORDS)
  for (let row = 0; row < uuids.length; row++) {
    const uuid = uuids[row]!
    if (uuid === null) continue
    const first = row * UUID_WORDS
    words[first + 3] = readWord(uuid, 0, 4) ^ 0x80000000
    words[first + 2] = readWord(uuid, 9, 14)
    words[first + 1] = readWord(uuid, 19, 24)
    words[first] = readWord(uuid, 28, 32)
  }
  return words
}

/** The times of packed uuids of version 7, in milliseconds since 1970. */
export const uuidTimes = (words: Uint32Array): Float64Array =>
  Float64Array.from({ length: words.length / UUID_WORDS }, (_, place) => uuidTimeAt(words, place))

/** The time of one of them: its first 48 bits (RFC 9562, 5.7). */
export const uuidTimeAt = (words: Uint32Array, place: number): number => {
  const first = place * UUID_WORDS
  return ((words[first + 3]! ^ 0x80000000) >>> 0) * 0x10000 + (words[first + 2]! >>> 16)
}

/** The string of one of them, as DuckDB writes it. */
export const toUuid = (words: Uint32Array, place: number): string => {
  const first = place * UUID_WORDS
  const digits = [words[first + 3]! ^ 0x80000000, words[first + 2]!, words[first + 1]!, words[first]!]
    .map((word) => (word >>> 0).toString(16).padStart(8, '0'))
    .join('')
  return digits.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')
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
