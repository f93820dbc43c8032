import { randomInt } from 'node:crypto'
import { UUID_WORDS, uuidTimeAt } from './rows/uuid-words.ts'
import { hashWords } from '../hash-words.ts'

/**
 * The uuids of version 7 that were stored last, and what the times in them say of all others: events arrive about in the order of their
 * uuids, so that most are later than everything that is not in this list, and need no look-up in the store.
 */
export interface RecentUuids {
  /**
   * Whether a uuid is stored, as far as it is known.
   *
   * @param uuids packed (`packUuids`).
   * @param place of the uuid.
   */
  find(uuids: Uint32Array, place: number): 'stored' | 'absent' | 'unknown'
  /** Adds uuids that were stored. */
  add(uuids: Uint32Array): void
  /** Says which were stored before the first of `add`. Until then, a uuid that is not in the list is unknown. */
  useEarlier(times: StoredTimes): void
}

/** The times in the stored uuids of version 7, in milliseconds since 1970. */
export interface StoredTimes {
  /** No other one is later than this. */
  readonly through: number
  /** Seconds since 1970 in which there are later ones, of clocks that are ahead. */
  readonly laterSeconds: readonly number[]
}

/** Default of `maxGenerationUuids`: those of a minute at 2,000 events/s. The two generations take up to 8 MB. */
const MAX_GENERATION_UUIDS = 131_072

/** Part of the forgotten uuids that are not later than `StoredTimes.through`. The others are remembered by their second. */
const EARLY_SHARE = 0.9

/** Most seconds that are remembered. */
const MAX_SECONDS = 100_000

/**
 * Creates an empty list of two generations. When the newer one is full, the older one is forgotten, but for the times.
 *
 * @param maxGenerationUuids Default: 131,072.
 */
export const createRecentUuids = (maxGenerationUuids: number = MAX_GENERATION_UUIDS): RecentUuids => {
  const seed = randomInt(2 ** 32)
  let newer = createGeneration(seed, MIN_SLOTS)
  let older = createGeneration(seed, MIN_SLOTS)
  let knowsEarlier = false
  let through = -Infinity
  const laterSeconds = new Set<number>()

  /** Uuids of these times may be stored without being in the list. */
  const forget = (times: StoredTimes): void => {
    through = Math.max(through, times.through)
    for (const second of times.laterSeconds) laterSeconds.add(second)
    if (laterSeconds.size > MAX_SECONDS) for (const second of laterSeconds) through = Math.max(through, endOf(second))
    for (const second of laterSeconds) if (endOf(second) <= through) laterSeconds.delete(second)
  }

  return {
    find(uuids, place) {
      const first = place * UUID_WORDS
      if (has(newer, uuids, first) || has(older, uuids, first)) return 'stored'
      const time = uuidTimeAt(uuids, place)
      return knowsEarlier && time > through && !laterSeconds.has(secondOf(time)) ? 'absent' : 'unknown'
    },
    add(uuids) {
      for (let first = 0; first < uuids.length; first += UUID_WORDS) {
        if (newer.count === maxGenerationUuids) {
          if (older.count > 0) forget(summarize(older))
          older = newer
          newer = createGeneration(seed, MIN_SLOTS)
        } else if (newer.count >= (newer.slots * 3) / 4) newer = enlarge(newer)
        insert(newer, uuids, first)
      }
    },
    useEarlier(times) {
      knowsEarlier = true
      forget(times)
    },
  }
}

const secondOf = (time: number): number => Math.floor(time / 1000)

/** The last millisecond of a second. */
const endOf = (second: number): number => second * 1000 + 999

/** An open-addressing table: a uuid is in the slot of its hash, or in one of the next ones. A free slot is zero, as no uuid is. */
interface Generation {
  readonly seed: number
  readonly slots: number
  readonly words: Uint32Array
  count: number
}

const MIN_SLOTS = 1024

const createGeneration = (seed: number, slots: number): Generation => ({
  seed,
  slots,
  words: new Uint32Array(slots * UUID_WORDS),
  count: 0,
})

const isFree = (words: Uint32Array, at: number): boolean =>
  (words[at]! | words[at + 1]! | words[at + 2]! | words[at + 3]!) === 0

/** The place in the table's words of a uuid, or of the free slot for it. */
const findSlot = ({ seed, slots, words }: Generation, uuids: Uint32Array, first: number): number => {
  const [word0, word1, word2, word3] = [uuids[first]!, uuids[first + 1]!, uuids[first + 2]!, uuids[first + 3]!]
  const mask = slots - 1
  for (let slot = hashWords(seed, word0, word1, word2, word3) & mask; ; slot = (slot + 1) & mask) {
    const at = slot * UUID_WORDS
    if (words[at] === word0 && words[at + 1] === word1 && words[at + 2] === word2 && words[at + 3] === word3) return at
    if (isFree(words, at)) return at
  }
}

const has = (generation: Generation, uuids: Uint32Array, first: number): boolean =>
  generation.count > 0 && !isFree(generation.words, findSlot(generation, uuids, first))

const insert = (generation: Generation, uuids: Uint32Array, first: number): void => {
  const at = findSlot(generation, uuids, first)
  if (!isFree(generation.words, at)) return
  for (let word = 0; word < UUID_WORDS; word++) generation.words[at + word] = uuids[first + word]!
  generation.count += 1
}

const enlarge = ({ seed, slots, words }: Generation): Generation => {
  const larger = createGeneration(seed, slots * 2)
  for (let at = 0; at < words.length; at += UUID_WORDS) if (!isFree(words, at)) insert(larger, words, at)
  return larger
}

const summarize = ({ words, count }: Generation): StoredTimes => {
  const times = new Float64Array(count)
  let length = 0
  for (let at = 0; at < words.length; at += UUID_WORDS)
    if (!isFree(words, at)) times[length++] = uuidTimeAt(words, at / UUID_WORDS)
  times.sort()
  const lastEarly = Math.floor((count - 1) * EARLY_SHARE)
  return { through: times[lastEarly]!, laterSeconds: Array.from(times.subarray(lastEarly + 1), secondOf) }
}
