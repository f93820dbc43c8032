/** The text, or why there is none: no such stream, or more than `maxUnits` UTF-16 code units. */
export type Lz64Text = { readonly text: string } | { readonly failure: 'malformed' | 'too_large' }

const MALFORMED: Lz64Text = { failure: 'malformed' }

/**
 * Reads what lz-string's `compressToBase64` writes (the `lz64` compression of the protocol), with a bound on what comes out.
 * lz-string itself has none, and its output can grow with the square of its input.
 *
 * The stream is LZ78 over UTF-16 code units, most significant bit of each base64 digit first, each number least significant
 * bit first. Numbers 0 and 1 announce a new unit of 8 or 16 bits, 2 ends the stream, all others name a phrase. A phrase is
 * always a stretch of what was already written, so the dictionary holds only where each begins and how long it is.
 */
export const readLz64 = (base64: string, maxUnits: number): Lz64Text => {
  const bits = bitsOf(base64)
  let output = new Uint16Array(Math.min(maxUnits, Math.max(1024, base64.length * 2)))
  let length = 0
  const phrases = createPhrases()
  let width = 2
  let untilWider = 4
  let previousBegin = 0
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

    // The phrase about to be defined may be used at once: it is the previous one and its own first unit again.
    const isNewest = phrase === phrases.count()
    if (phrase > phrases.count()) return MALFORMED
    const begin = isNewest ? previousBegin : phrases.begin(phrase)
    const size = isNewest ? previousLength + 1 : phrases.length(phrase)

    if (length + size > maxUnits) return { failure: 'too_large' }
    if (length + size > output.length) {
      const grown = new Uint16Array(Math.min(maxUnits, (length + size) * 2))
      grown.set(output)
      output = grown
    }
    if (literal !== null) output[length] = literal
    // Unit by unit, because the newest phrase overlaps its copy.
    else if (isNewest || size < SHORT)
      for (let unit = 0; unit < size; unit++) output[length + unit] = output[begin + unit]!
    else output.copyWithin(length, begin, begin + size)

    if (isFirst) width = 3
    else {
      phrases.add(previousBegin, previousLength + 1)
      countPhrase()
    }
    previousBegin = length
    previousLength = size
    length += size
    if (bits.isPastEnd()) return MALFORMED
  }
  return bits.isPastEnd() ? MALFORMED : { text: Buffer.from(output.buffer, 0, length * 2).toString('utf16le') }
}

const UNIT_OF_8_BITS = 0
const UNIT_OF_16_BITS = 1
const END = 2

/** Units below which a loop copies faster than a call. */
const SHORT = 32

interface Phrases {
  /** Answers the number of the new phrase. */
  add(begin: number, length: number): number
  count(): number
  begin(phrase: number): number
  length(phrase: number): number
}

/** Where phrases begin and how long they are, outside the heap: a large text has millions. */
const createPhrases = (): Phrases => {
  let places = new Uint32Array(2048)
  // Phrases 0 to 2 are the announcements and never looked up.
  let count = 3
  return {
    add(begin, length) {
      if (count * 2 === places.length) {
        const grown = new Uint32Array(places.length * 2)
        grown.set(places)
        places = grown
      }
      places[count * 2] = begin
      places[count * 2 + 1] = length
      return count++
    },
    count: () => count,
    begin: (phrase) => places[phrase * 2]!,
    length: (phrase) => places[phrase * 2 + 1]!,
  }
}

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'
const NO_DIGIT = 255

/** The six bits of each base64 digit, first bit lowest: so turned round, numbers can be cut from them as they are. */
const DIGITS = new Uint8Array(128).fill(NO_DIGIT)
for (let digit = 0; digit < ALPHABET.length; digit++) {
  let turned = 0
  for (let bit = 0; bit < 6; bit++) if (digit & (1 << bit)) turned |= 32 >> bit
  DIGITS[ALPHABET.codePointAt(digit)!] = turned
}

interface BitReader {
  /** The next number of at most 25 bits. */
  next(bits: number): number
  /** True once bits were asked for that the text does not have, or a character was met that is no base64 digit. */
  isPastEnd(): boolean
}

const bitsOf = (base64: string): BitReader => {
  let at = 0
  let held = 0
  let count = 0
  let pastEnd = false
  return {
    next(bits) {
      while (count < bits) {
        let digit = DIGITS[base64.charCodeAt(at++)] ?? NO_DIGIT
        if (digit === NO_DIGIT) {
          digit = 0
          pastEnd = true
        }
        held |= digit << count
        count += 6
      }
      const value = held & ((1 << bits) - 1)
      held >>>= bits
      count -= bits
      return value
    },
    isPastEnd: () => pastEnd,
  }
}
