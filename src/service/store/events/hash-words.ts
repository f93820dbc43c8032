/**
 * Hashes the four words of a uuid, as MurmurHash3 does (32 bits).
 *
 * @param seed Random, so that no sender can choose uuids whose hashes are the same.
 */
export const hashWords = (seed: number, word0: number, word1: number, word2: number, word3: number): number => {
  let hash = Math.imul(seed ^ word0, 0xcc9e2d51)
  hash = Math.imul(((hash << 15) | (hash >>> 17)) ^ word1, 0x85ebca6b)
  hash = Math.imul(((hash << 13) | (hash >>> 19)) ^ word2, 0xc2b2ae35)
  hash = Math.imul(((hash << 11) | (hash >>> 21)) ^ word3, 0x9e3779b1)
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b)
  return hash ^ (hash >>> 13)
}
