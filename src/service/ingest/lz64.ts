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
  const nextBit = bitsOf(base64)
  const next = (bits: number): number => {
    let value = 0
    for (let bit = 0; bit < bits; bit++) value |= nextBit() << bit
    return value
  }

  let output = new Uint16Array(Math.min(maxUnits, Math.max(1024, base64.length * 2)))
  let length = 0
  // Phrases 0 to 2 are the announcements and never looked up.
  const begins = [0, 0, 0]
  const lengths = [0, 0, 0]
  let width = 2
  let untilWider = 4
  let previousBegin = 0
  let previousLength = 0

  const countPhrase = (): void => {
    if (--untilWider === 0) untilWider = 2 ** width++
  }

  for (;;) {
    let phrase = next(width)
    if (phrase === END) break
    const literal =
      phrase === UNIT_OF_8_BITS || phrase === UNIT_OF_16_BITS ? next(phrase === UNIT_OF_8_BITS ? 8 : 16) : null
    const isFirst = previousLength === 0
    if (literal !== null) {
      phrase = begins.push(length) - 1
      lengths.push(1)
      if (!isFirst) countPhrase()
    } else if (isFirst) return MALFORMED

    // The phrase about to be defined may be used at once: it is the previous one and its own first unit again.
    const isNewest = phrase === begins.length
    if (phrase > begins.length) return MALFORMED
    const begin = isNewest ? previousBegin : begins[phrase]!
    const size = isNewest ? previousLength + 1 : lengths[phrase]!

    if (length + size > maxUnits) return { failure: 'too_large' }
    if (length + size > output.length) {
      const grown = new Uint16Array(Math.min(maxUnits, (length + size) * 2))
      grown.set(output)
      output = grown
    }
    if (literal !== null) output[length] = literal
    // Unit by unit, because the newest phrase overlaps its copy.
    else for (let unit = 0; unit < size; unit++) output[length + unit] = output[begin + unit]!

    if (isFirst) width = 3
    else {
      begins.push(previousBegin)
      lengths.push(previousLength + 1)
      countPhrase()
    }
    previousBegin = length
    previousLength = size
    length += size
    if (nextBit.isPastEnd()) return MALFORMED
  }
  return nextBit.isPastEnd() ? MALFORMED : { text: Buffer.from(output.buffer, 0, length * 2).toString('utf16le') }
}

const UNIT_OF_8_BITS = 0
const UNIT_OF_16_BITS = 1
const END = 2
const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'
const DIGITS = new Uint8Array(128).fill(255)
for (let digit = 0; digit < ALPHABET.length; digit++) DIGITS[ALPHABET.codePointAt(digit)!] = digit

interface BitReader {
  (): number
  /** True once bits were asked for that the text does not have, or a character was met that is no base64 digit. */
  isPastEnd(): boolean
}

const bitsOf = (base64: string): BitReader => {
  let at = 0
  let mask = 0
  let digit = 0
  let pastEnd = false
  const read = (): number => {
    if (mask === 0) {
      digit = DIGITS[base64.charCodeAt(at++)] ?? 255
      mask = 32
      if (digit === 255) {
        digit = 0
        pastEnd = true
      }
    }
    const bit = digit & mask ? 1 : 0
    mask >>= 1
    return bit
  }
  return Object.assign(read, { isPastEnd: () => pastEnd })
}
