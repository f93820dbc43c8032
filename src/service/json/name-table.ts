import { QUOTE } from './characters.ts'

/** Names that the table takes. A project with more names gets new tables. */
export const MAX_NAMES = 4096

/** Slots for names, a power of 2: with a quarter of them in use, most names are found in the first slot that is looked at. */
const SLOTS = 4 * MAX_NAMES

/** Longest name, in bytes. */
const MAX_NAME_BYTES = 100

/** A number for each name of a member that occurred, so that names can be compared and looked up without a string for each. */
export interface NameTable {
  /** The names by their numbers. */
  readonly names: readonly string[]
  /**
   * The number of a name; numbers it if it is new. -1 for a name that is too long, and for new names once the table is full.
   *
   * @param start of the name in the bytes, without its quotation mark.
   * @param hash of its bytes (`hashByte`).
   */
  find(bytes: Buffer, start: number, end: number, hash: number): number
  /** Where a name ends that starts here, if it is the one with this number and a quotation mark follows; -1 if not. */
  match(bytes: Buffer, start: number, number: number): number
  /** The name that followed each name last time, by its number, and at `MAX_NAMES` the first name; -1 for none. Most objects have the same names in the same order. */
  readonly followers: Int32Array
  isFull(): boolean
}

/** The hash of no byte (FNV-1a, 32 bits: http://www.isthe.com/chongo/tech/comp/fnv/). */
export const HASH_START = 0x811c9dc5 | 0

/** Adds a byte to a hash. */
export const hashByte = (hash: number, byte: number): number => Math.imul(hash ^ byte, 0x01000193)

/** @param firstNames get the first numbers, in their order. */
export const createNameTable = (firstNames: readonly string[] = []): NameTable => {
  const names: string[] = []
  /** The number of a name plus 1, or 0 for an empty slot. */
  const slots = new Int32Array(SLOTS)
  const hashes = new Int32Array(MAX_NAMES)
  const starts = new Int32Array(MAX_NAMES)
  const ends = new Int32Array(MAX_NAMES)
  let text = Buffer.alloc(MAX_NAMES)
  let textLength = 0

  const isNamed = (number: number, bytes: Buffer, start: number, end: number): boolean => {
    const first = starts[number]!
    if (ends[number]! - first !== end - start) return false
    for (let at = start; at < end; at++) if (text[first + at - start] !== bytes[at]) return false
    return true
  }

  const add = (bytes: Buffer, start: number, end: number, hash: number): number => {
    const number = names.length
    if (number === MAX_NAMES || end - start > MAX_NAME_BYTES) return -1
    if (textLength + MAX_NAME_BYTES > text.length) text = Buffer.concat([text], text.length * 2)
    bytes.copy(text, textLength, start, end)
    hashes[number] = hash
    starts[number] = textLength
    textLength += end - start
    ends[number] = textLength
    names.push(bytes.toString('utf8', start, end))
    return number
  }

  const find = (bytes: Buffer, start: number, end: number, hash: number): number => {
    for (let slot = hash & (SLOTS - 1); ; slot = (slot + 1) & (SLOTS - 1)) {
      const number = slots[slot]! - 1
      if (number < 0) {
        const added = add(bytes, start, end, hash)
        slots[slot] = added + 1
        return added
      }
      if (hashes[number] === hash && isNamed(number, bytes, start, end)) return number
    }
  }

  for (const name of firstNames) {
    const bytes = Buffer.from(name)
    find(bytes, 0, bytes.length, bytes.reduce(hashByte, HASH_START))
  }
  const match = (bytes: Buffer, start: number, number: number): number => {
    const first = starts[number]!
    const length = ends[number]! - first
    for (let index = 0; index < length; index++) if (text[first + index] !== bytes[start + index]) return -1
    return bytes[start + length] === QUOTE ? start + length : -1
  }

  return {
    names,
    find,
    match,
    followers: new Int32Array(MAX_NAMES + 1).fill(-1),
    isFull: () => names.length === MAX_NAMES,
  }
}
