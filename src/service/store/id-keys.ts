import { randomInt } from 'node:crypto'

/** A hash of 96 bits: integers of 32 bits with a sign, not all 0. */
export interface IdKey {
  word0: number
  word1: number
  word2: number
}

/** Hashes ids. The hash is the same object in every call, because an object for each would be garbage. */
export interface IdKeys {
  /** @param scope separates the ids of this number from those of others. */
  ofString(scope: number, id: string): IdKey
  /** @param words four of a uuid, at `first`. */
  ofUuid(words: Uint32Array, first: number): IdKey
}

/**
 * Creates a hash function with a random seed, so that the ids of a sender collide no more often than random ones: among a million
 * ids, once in 10^22 others. That is rare enough to take the hash for the id.
 */
export const createIdKeys = (): IdKeys => {
  const [seed0, seed1, seed2] = [randomSeed(), randomSeed(), randomSeed()]
  const key: IdKey = { word0: 0, word1: 0, word2: 0 }
  // Three independent lanes, each with a multiplication and a rotation for each 32 bits of the id.
  let lane0 = 0
  let lane1 = 0
  let lane2 = 0
  const start = (scope: number): void => {
    lane0 = seed0 ^ scope
    lane1 = seed1 ^ Math.imul(scope, 0x9e3779b1)
    lane2 = seed2 ^ Math.imul(scope, 0x85ebca6b)
  }
  const add = (word: number): void => {
    lane0 = Math.imul(lane0 ^ word, 0xcc9e2d51)
    lane0 = (lane0 << 15) | (lane0 >>> 17)
    lane1 = Math.imul(lane1 ^ word, 0x85ebca6b)
    lane1 = (lane1 << 13) | (lane1 >>> 19)
    lane2 = Math.imul(lane2 ^ word, 0xc2b2ae35)
    lane2 = (lane2 << 11) | (lane2 >>> 21)
  }
  const end = (): IdKey => {
    key.word0 = mix(lane0)
    key.word1 = mix(lane1 ^ key.word0)
    key.word2 = mix(lane2 ^ key.word1)
    if ((key.word0 | key.word1 | key.word2) === 0) key.word0 = 1
    return key
  }
  return {
    ofString(scope, id) {
      start(scope)
      add(id.length)
      for (let at = 0; at < id.length; at += 2)
        add(id.charCodeAt(at) | (at + 1 < id.length ? id.charCodeAt(at + 1) << 16 : 0))
      return end()
    },
    ofUuid(words, first) {
      start(0)
      for (let at = first; at < first + 4; at++) add(words[at]!)
      return end()
    },
  }
}

/** The last step of MurmurHash3: each bit of the result depends on all bits. */
const mix = (value: number): number => {
  let mixed = Math.imul(value ^ (value >>> 16), 0x85ebca6b)
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35)
  return mixed ^ (mixed >>> 16)
}

const randomSeed = (): number => randomInt(2 ** 32) | 0
