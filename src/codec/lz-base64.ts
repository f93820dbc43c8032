/** The character of a base64 digit: A-Z, a-z, 0-9, + and /. Calculated, because the alphabet cannot be compressed. */
const toBase64 = (digit: number): string =>
  String.fromCharCode(digit + (digit < 26 ? 65 : digit < 52 ? 71 : digit < 62 ? -4 : digit < 63 ? -19 : -16))

/** Code that precedes a new character of 8 bits; one of 16 bits follows code 1. Code 2 ends the data. */
const NEW_CHARACTER_8 = 0
const END = 2

/**
 * Compresses a string to the same bytes as `compressToBase64` of lz-string, which the protocol has chosen. Written here because that package
 * cannot be bundled in parts, and is six times as large.
 *
 * The method is LZW: the output is a list of codes for growing sequences of characters. The codes grow by one bit whenever as many entries
 * have been added as the next bit doubles. Bits are written lowest first.
 */
export const compressToBase64 = (input: string): string => {
  /** Sequence to code. */
  const codes = new Map<string, number>()
  /** Characters that have a code, but are not in the output yet. */
  const newCharacters = new Set<string>()
  let output = ''
  let digit = 0
  let digitBits = 0
  let codeBits = 2
  let entriesUntilGrowth = 2

  const writeBits = (value: number, bits: number): void => {
    for (; bits--; value >>= 1) {
      digit = (digit << 1) | (value & 1)
      if (++digitBits === 6) {
        output += toBase64(digit)
        digit = digitBits = 0
      }
    }
  }
  const countEntry = (): void => {
    if (--entriesUntilGrowth === 0) entriesUntilGrowth = 2 ** codeBits++
  }
  const writeSequence = (sequence: string): void => {
    if (newCharacters.delete(sequence)) {
      const unit = sequence.charCodeAt(0)
      const isWide = Number(unit > 255)
      writeBits(NEW_CHARACTER_8 + isWide, codeBits)
      writeBits(unit, 8 + 8 * isWide)
      countEntry()
    } else writeBits(codes.get(sequence)!, codeBits)
    countEntry()
  }
  const addCode = (sequence: string): Map<string, number> => codes.set(sequence, codes.size + END + 1)

  let sequence = ''
  // By UTF-16 units: an iterator would join the halves of a pair.
  for (let index = 0; index < input.length; index++) {
    const character = input[index]!
    if (!codes.has(character)) {
      addCode(character)
      newCharacters.add(character)
    }
    const longer = sequence + character
    if (codes.has(longer)) sequence = longer
    else {
      writeSequence(sequence)
      addCode(longer)
      sequence = character
    }
  }
  if (sequence) writeSequence(sequence)
  writeBits(END, codeBits)
  // At least one bit more than the data, so that the last digit is complete.
  writeBits(0, 6 - digitBits)
  return output.padEnd(Math.ceil(output.length / 4) * 4, '=')
}
