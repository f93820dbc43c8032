import { randomInt } from 'node:crypto'

/**
 * Distinct ids that have a person, each with a time at or before which its person was created. Neither a merge nor an event
 * makes that untrue: a person's `createdAt` only becomes earlier, and a merged person's ids get the person it was merged into.
 *
 * Most events come from such ids and change nothing. A look-up costs about 0.1 µs and an id takes 16 bytes, where the id, its
 * person and the maps around them take about 600.
 */
export interface KnownIds {
  /**
   * Whether the id is known to have a person that was created at or before a time. False if that is unknown.
   *
   * @param scope number that separates ids, such as those of two projects.
   */
  covers(scope: number, distinctId: string, timestampMs: number): boolean
  /** Notes that the id has a person that was created at or before a time. */
  add(scope: number, distinctId: string, createdAtMs: number): void
}

/** Maximum number of ids in each of the two generations, which then takes 8 MB. */
const MAX_GENERATION_IDS = 393_216

/** Words of 32 bits in an entry: three of the hash, which are not all 0, and the time in seconds. */
const ENTRY_WORDS = 4
const TIME = 3

const MIN_SLOTS = 1024

/** The last second that an entry can hold. */
const MAX_SECOND = 2 ** 32 - 1

/**
 * Creates an empty table. Instead of ids it has hashes of 96 bits with a random seed, so that the ids of a sender collide no
 * more often than random ones: among a million ids, once in 10^22 new ones.
 *
 * When a generation is full, the one before it is forgotten. An id that is looked up moves to the new one.
 */
export const createKnownIds = (maxGenerationIds: number = MAX_GENERATION_IDS): KnownIds => {
  const [seed0, seed1, seed2] = [randomSeed(), randomSeed(), randomSeed()]
  let young = createGeneration(MIN_SLOTS)
  let old = createGeneration(MIN_SLOTS)
  // The hash of the last call of `hash`. Numbers in variables, because an array for each call would be garbage.
  let hash0 = 0
  let hash1 = 0
  let hash2 = 0

  /** Two characters at a time go into three independent lanes, each a multiplication and a rotation. */
  const hash = (scope: number, id: string): void => {
    let lane0 = seed0 ^ id.length
    let lane1 = seed1 ^ scope
    let lane2 = seed2 ^ Math.imul(scope, 0x9e3779b1)
    for (let at = 0; at < id.length; at += 2) {
      const pair = id.charCodeAt(at) | (at + 1 < id.length ? id.charCodeAt(at + 1) << 16 : 0)
      lane0 = Math.imul(lane0 ^ pair, 0xcc9e2d51)
      lane0 = (lane0 << 15) | (lane0 >>> 17)
      lane1 = Math.imul(lane1 ^ pair, 0x85ebca6b)
      lane1 = (lane1 << 13) | (lane1 >>> 19)
      lane2 = Math.imul(lane2 ^ pair, 0xc2b2ae35)
      lane2 = (lane2 << 11) | (lane2 >>> 21)
    }
    hash0 = mix(lane0 ^ scope)
    hash1 = mix(lane1 ^ hash0)
    hash2 = mix(lane2 ^ hash1)
    // Three zeros are a free slot.
    if ((hash0 | hash1 | hash2) === 0) hash0 = 1
  }

  /** Adds the hashed id; keeps the earlier of two times. */
  const put = (second: number): void => {
    if (young.count === maxGenerationIds) {
      old = young
      young = createGeneration(MIN_SLOTS)
    } else if (young.count >= (young.slots * 3) / 4) young = enlarge(young)
    const { words } = young
    const at = findSlot(young, hash0, hash1, hash2)
    if ((words[at]! | words[at + 1]! | words[at + 2]!) === 0) {
      words[at] = hash0
      words[at + 1] = hash1
      words[at + 2] = hash2
      words[at + TIME] = second
      young.count += 1
    } else if (second < words[at + TIME]!) words[at + TIME] = second
  }

  return {
    covers(scope, distinctId, timestampMs) {
      hash(scope, distinctId)
      const second = Math.floor(timestampMs / 1000)
      const inYoung = findSlot(young, hash0, hash1, hash2)
      if (!isFree(young, inYoung)) return young.words[inYoung + TIME]! <= second
      if (old.count === 0) return false
      const inOld = findSlot(old, hash0, hash1, hash2)
      if (isFree(old, inOld)) return false
      const createdSecond = old.words[inOld + TIME]!
      put(createdSecond)
      return createdSecond <= second
    },
    add(scope, distinctId, createdAtMs) {
      // Rounded up, so that the person is not taken to be older than it is.
      const second = Math.max(0, Math.ceil(createdAtMs / 1000))
      if (!(second <= MAX_SECOND)) return
      hash(scope, distinctId)
      put(second)
    },
  }
}

/** An open-addressing table: an entry is in the slot that its hash names, or in one of the next ones. */
interface Generation {
  readonly slots: number
  readonly words: Uint32Array
  count: number
}

const createGeneration = (slots: number): Generation => ({
  slots,
  words: new Uint32Array(slots * ENTRY_WORDS),
  count: 0,
})

/** The place of a hash in `words`, or of the free slot for it. */
const findSlot = ({ slots, words }: Generation, hash0: number, hash1: number, hash2: number): number => {
  const mask = slots - 1
  for (let slot = hash0 & mask; ; slot = (slot + 1) & mask) {
    const at = slot * ENTRY_WORDS
    const [word0, word1, word2] = [words[at]! | 0, words[at + 1]! | 0, words[at + 2]! | 0]
    if ((word0 === hash0 && word1 === hash1 && word2 === hash2) || (word0 | word1 | word2) === 0) return at
  }
}

const isFree = ({ words }: Generation, at: number): boolean => (words[at]! | words[at + 1]! | words[at + 2]!) === 0

const enlarge = ({ slots, words, count }: Generation): Generation => {
  const larger = createGeneration(slots * 2)
  for (let at = 0; at < words.length; at += ENTRY_WORDS) {
    const [word0, word1, word2] = [words[at]! | 0, words[at + 1]! | 0, words[at + 2]! | 0]
    if ((word0 | word1 | word2) === 0) continue
    larger.words.set(words.subarray(at, at + ENTRY_WORDS), findSlot(larger, word0, word1, word2))
  }
  larger.count = count
  return larger
}

/** The last step of MurmurHash3: each bit of the result depends on all bits. */
const mix = (value: number): number => {
  let mixed = Math.imul(value ^ (value >>> 16), 0x85ebca6b)
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35)
  return mixed ^ (mixed >>> 16)
}

const randomSeed = (): number => randomInt(2 ** 32)
