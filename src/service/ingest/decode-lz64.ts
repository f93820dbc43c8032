/** The decoded string, or why it failed: not a valid stream, or more than `maxUnits` UTF-16 code units. */
export type Lz64Result = { readonly string: string } | { readonly failure: 'malformed' | 'too_large' }

const MALFORMED: Lz64Result = { failure: 'malformed' }

/**
 * Decodes the output of lz-string's `compressToBase64` (the `lz64` compression of the protocol), up to a maximum size.
 * lz-string itself has no limit, and its output can grow with the square of its input.
 *
 * The stream is LZ78 over UTF-16 code units, most significant bit of each base64 digit first, each number least significant
 * bit first. The numbers 0 and 1 are followed by a new unit of 8 or 16 bits, 2 ends the stream, all others are phrases. A
 * phrase is always a part of the output so far, so the dictionary stores only its start and length.
 */
export const decodeLz64 = (base64: string, maxUnits: number): Lz64Result => {
  const bits = createBitReader(base64)
  let output = new Uint16Array(Math.min(maxUnits, Math.max(1024, base64.length * 2)))
  let length = 0
  const phrases = createPhrases()
  let width = 2
  let untilWider = 4
  let previousStart = 0
  let previousLength = 0

  const countPhrase = (): void => {
    if (--untilWider === 0) untilWider = 2 ** width++
  }

  for (;;) {
    let phrase = bits.next(width)
    if (phrase === END) break
    const literal =
      phrase === UNIT_OF_8_BITS || phrase === UNIT_OF_16_BITS ? bits.next(phrase === UNIT_OF_8_BITS ? 8 : 16) : null
    const isFirst = previousLength === 0
    if (literal !== null) {
      phrase = phrases.add(length, 1)
      if (!isFirst) countPhrase()
    } else if (isFirst) return MALFORMED

    // The number can mean the phrase that this step defines: the previous phrase followed by its first unit.
    const isNewest = phrase === phrases.count()
    if (phrase > phrases.count()) return MALFORMED
    const start = isNewest ? previousStart : phrases.start(phrase)
    const size = isNewest ? previousLength + 1 : phrases.length(phrase)

    if (length + size > maxUnits) return { failure: 'too_large' }
    if (length + size > output.length) {
      const grown = new Uint16Array(Math.min(maxUnits, (length + size) * 2))
      grown.set(output)
      output = grown
    }
    if (literal !== null) output[length] = literal
    // Unit by unit, because the newest phrase overlaps its copy, and because a loop is faster for short phrases.
    else if (isNewest || size < MIN_COPY_WITHIN_UNITS)
      for (let unit = 0; unit < size; unit++) output[length + unit] = output[start + unit]!
    else output.copyWithin(length, start, start + size)

    if (isFirst) width = 3
    else {
      phrases.add(previousStart, previousLength + 1)
      countPhrase()
    }
    previousStart = length
    previousLength = size
    length += size
    if (bits.isPastEnd()) return MALFORMED
  }
  return bits.isPastEnd() ? MALFORMED : { string: Buffer.from(output.buffer, 0, length * 2).toString('utf16le') }
}

const UNIT_OF_8_BITS = 0
const UNIT_OF_16_BITS = 1
const END = 2

/** Below this many units a loop copies faster than `copyWithin`. */
const MIN_COPY_WITHIN_UNITS = 32

interface Phrases {
  /** Returns the number of the new phrase. */
  add(start: number, length: number): number
  count(): number
  start(phrase: number): number
  length(phrase: number): number
}

/** Start and length of each phrase, in a typed array because a large body has millions of phrases. */
const createPhrases = (): Phrases => {
  let entries = new Uint32Array(2048)
  // The numbers 0 to 2 have a special meaning and are never looked up.
  let count = 3
  return {
    add(start, length) {
      if (count * 2 === entries.length) {
        const grown = new Uint32Array(entries.length * 2)
        grown.set(entries)
        entries = grown
      }
      entries[count * 2] = start
      entries[count * 2 + 1] = length
      return count++
    },
    count: () => count,
    start: (phrase) => entries[phrase * 2]!,
    length: (phrase) => entries[phrase * 2 + 1]!,
  }
}

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'
const NO_DIGIT = 255

/** The six bits of each base64 digit in reverse order, so that numbers can be read from them least significant bit first. */
const DIGITS = new Uint8Array(128).fill(NO_DIGIT)
for (let digit = 0; digit < ALPHABET.length; digit++) {
  let reversed = 0
  for (let bit = 0; bit < 6; bit++) if (digit & (1 << bit)) reversed |= 32 >> bit
  DIGITS[ALPHABET.codePointAt(digit)!] = reversed
}

interface BitReader {
  /** Reads the next number, of at most 25 bits. */
  next(bits: number): number
  /** True after a read beyond the end, or of a character that is not a base64 digit. */
  isPastEnd(): boolean
}

const createBitReader = (base64: string): BitReader => {
  let position = 0
  let buffer = 0
  let bitCount = 0
  let isPastEnd = false
  return {
    next(bits) {
      while (bitCount < bits) {
        let digit = DIGITS[base64.charCodeAt(position++)] ?? NO_DIGIT
        if (digit === NO_DIGIT) {
          digit = 0
          isPastEnd = true
        }
        buffer |= digit << bitCount
        bitCount += 6
      }
      const value = buffer & ((1 << bits) - 1)
      buffer >>>= bits
      bitCount -= bits
      return value
    },
    isPastEnd: () => isPastEnd,
  }
}
