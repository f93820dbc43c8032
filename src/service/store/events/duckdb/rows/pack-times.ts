const WORD = 2 ** 32

/** Milliseconds whose microseconds JavaScript's numbers keep exactly: until the year 2255. */
const MAX_EXACT_MS = Number.MAX_SAFE_INTEGER / 1000

/** Packs times in milliseconds since 1970 as DuckDB stores them: microseconds in 64 bits. */
export const packTimes = (times: readonly number[]): Int32Array<ArrayBuffer> => {
  const words = new Int32Array(times.length * 2)
  for (let row = 0; row < times.length; row++) {
    const timeMs = times[row]!
    if (Math.abs(timeMs) < MAX_EXACT_MS) {
      // A tenth of the time of bigints.
      const microseconds = timeMs * 1000
      words[row * 2] = microseconds
      words[row * 2 + 1] = Math.floor(microseconds / WORD)
    } else new BigInt64Array(words.buffer)[row] = BigInt(timeMs) * 1000n
  }
  return words
}
