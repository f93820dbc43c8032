import type { IdKey } from './id-keys.ts'

/**
 * Numbers by id, for very many ids: an entry takes 16 bytes, where a map takes about 200 and the garbage collector visits each. A
 * look-up costs about 0.1 µs.
 */
export interface IdTable {
  /** The number of an id, or undefined if it has none or is forgotten. */
  get(key: IdKey): number | undefined
  /** @param value an integer from 0 to `MAX_VALUE`. */
  set(key: IdKey, value: number): void
  /** Whether ids may be forgotten, because there were more than the table holds. */
  hasForgotten(): boolean
}

/** The largest number in an `IdTable`. */
export const MAX_VALUE: number = 2 ** 32 - 1

/** Words of 32 bits in an entry: three of the key and the value. */
const ENTRY_WORDS = 4
const VALUE = 3

const MIN_SLOTS = 1024

/**
 * Creates an empty table. Entries are in two generations. When the newer one is full, the older one is forgotten. An id that is looked
 * up moves to the newer one.
 *
 * @param maxGenerationIds maximum number of ids in each generation. They take 21 to 43 bytes each, with the free slots.
 */
export const createIdTable = (maxGenerationIds: number): IdTable => {
  let newer = createGeneration(MIN_SLOTS)
  let older = createGeneration(MIN_SLOTS)
  let hasForgotten = false

  const set = (key: IdKey, value: number): void => {
    if (newer.count === maxGenerationIds) {
      hasForgotten ||= older.count > 0
      older = newer
      newer = createGeneration(MIN_SLOTS)
    } else if (newer.count >= (newer.slots * 3) / 4) newer = enlarge(newer)
    const { words } = newer
    const at = findSlot(newer, key)
    if (isFree(newer, at)) {
      words[at] = key.word0
      words[at + 1] = key.word1
      words[at + 2] = key.word2
      newer.count += 1
    }
    words[at + VALUE] = value
  }

  return {
    get(key) {
      const inNewer = findSlot(newer, key)
      if (!isFree(newer, inNewer)) return newer.words[inNewer + VALUE]!
      if (older.count === 0) return undefined
      const inOlder = findSlot(older, key)
      if (isFree(older, inOlder)) return undefined
      const value = older.words[inOlder + VALUE]!
      set(key, value)
      return value
    },
    set,
    hasForgotten: () => hasForgotten,
  }
}

/** An open-addressing table: an entry is in the slot that its key names, or in one of the next ones. */
interface Generation {
  readonly slots: number
  /** The key of a free slot is 0. */
  readonly words: Uint32Array
  count: number
}

const createGeneration = (slots: number): Generation => ({
  slots,
  words: new Uint32Array(slots * ENTRY_WORDS),
  count: 0,
})

/** The place of a key in `words`, or of the free slot for it. */
const findSlot = ({ slots, words }: Generation, { word0, word1, word2 }: IdKey): number => {
  const mask = slots - 1
  for (let slot = word0 & mask; ; slot = (slot + 1) & mask) {
    const at = slot * ENTRY_WORDS
    const [slot0, slot1, slot2] = [words[at]! | 0, words[at + 1]! | 0, words[at + 2]! | 0]
    if ((slot0 === word0 && slot1 === word1 && slot2 === word2) || (slot0 | slot1 | slot2) === 0) return at
  }
}

const isFree = ({ words }: Generation, at: number): boolean => (words[at]! | words[at + 1]! | words[at + 2]!) === 0

const enlarge = ({ slots, words, count }: Generation): Generation => {
  const larger = createGeneration(slots * 2)
  const key = { word0: 0, word1: 0, word2: 0 }
  for (let at = 0; at < words.length; at += ENTRY_WORDS) {
    key.word0 = words[at]! | 0
    key.word1 = words[at + 1]! | 0
    key.word2 = words[at + 2]! | 0
    if ((key.word0 | key.word1 | key.word2) === 0) continue
    const to = findSlot(larger, key)
    for (let word = 0; word < ENTRY_WORDS; word++) larger.words[to + word] = words[at + word]!
  }
  larger.count = count
  return larger
}
