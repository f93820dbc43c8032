import {
  BACKSLASH,
  CLOSING_BRACE,
  COLON,
  COMMA,
  MINUS,
  NINE,
  OPENING_BRACE,
  OPENING_BRACKET,
  POINT,
  QUOTE,
  SPACE,
  ZERO,
} from './characters.ts'
import type { MemberTape } from './json-members.ts'
import { addMember, ValueForm } from './json-members.ts'
import { HASH_START, hashByte, MAX_NAMES } from './name-table.ts'
import { skipContainer, skipScalar, skipWhitespace } from './skip-value.ts'

/**
 * Divides an object into members and writes them on a tape. Returns the position behind the object, or -1 for an object that has to be
 * parsed: it is not valid, or a name has escapes, is too long, or starts with a digit.
 *
 * @param bytes valid UTF-8.
 * @param start of the opening brace.
 * @param inner The number of a name whose value is divided too, if it is an object, and the tape of its members. Default: none.
 */
export const scanMembers = (
  bytes: Buffer,
  start: number,
  tape: MemberTape,
  innerName = -1,
  innerTape: MemberTape = tape,
): number => {
  const { length } = bytes
  const { names } = tape
  const { followers } = names
  if (bytes[start] !== OPENING_BRACE) return -1
  let at = skipWhitespace(bytes, start + 1)
  if (bytes[at] === CLOSING_BRACE) return at + 1
  let name = MAX_NAMES
  while (at < length) {
    if (bytes[at] !== QUOTE) return -1
    const nameStart = at
    const follower = followers[name]!
    at = follower < 0 ? -1 : names.match(bytes, nameStart + 1, follower)
    if (at >= 0) name = follower
    else {
      at = nameStart + 1
      if (isDigit(bytes[at]!)) return -1
      let hash = HASH_START
      while (STRING_ENDS[bytes[at]!] === 0) hash = hashByte(hash, bytes[at++]!)
      if (bytes[at] !== QUOTE) return -1
      const found = names.find(bytes, nameStart + 1, at, hash)
      if (found < 0) return -1
      followers[name] = found
      name = found
    }
    at++
    if (bytes[at] !== COLON) at = skipWhitespace(bytes, at)
    if (bytes[at] !== COLON) return -1
    at++
    if (bytes[at]! <= SPACE) at = skipWhitespace(bytes, at)

    const valueStart = at
    let form: number = ValueForm.string
    const byte = bytes[at]!
    if (byte === QUOTE) {
      do at++
      while (STRING_ENDS[bytes[at]!] === 0)
      while (bytes[at] === BACKSLASH) {
        form = ValueForm.escapedString
        at += 2
        while (STRING_ENDS[bytes[at]!] === 0) at++
      }
      if (bytes[at] !== QUOTE) return -1
      at++
    } else if (byte === OPENING_BRACE || byte === OPENING_BRACKET) {
      form = ValueForm.container
      at = name === innerName && byte === OPENING_BRACE ? scanMembers(bytes, at, innerTape) : skipContainer(bytes, at)
    } else {
      at = skipScalar(bytes, at)
      form = at < 0 ? -1 : scalarForm(bytes, valueStart, at)
      if (form < 0) return -1
    }
    if (at < 0) return -1
    addMember(tape, name, form, nameStart, valueStart, at)

    if (bytes[at]! <= SPACE) at = skipWhitespace(bytes, at)
    if (bytes[at] === CLOSING_BRACE) return at + 1
    if (bytes[at] !== COMMA) return -1
    at++
    if (bytes[at]! <= SPACE) at = skipWhitespace(bytes, at)
  }
  return -1
}

/** 1 for the bytes that end a run of plain characters in a string: quotation marks, backslashes and control characters, which are not valid. */
const STRING_ENDS = Uint8Array.from({ length: 256 }, (_, byte) =>
  Number(byte === QUOTE || byte === BACKSLASH || byte < SPACE),
)

const isDigit = (byte: number): boolean => byte >= ZERO && byte <= NINE

const TRUE = Buffer.from('true')
const FALSE = Buffer.from('false')
const NULL = Buffer.from('null')

/** The form of a number, true, false or null; -1 for anything else. */
const scalarForm = (bytes: Buffer, start: number, end: number): number => {
  const first = bytes[start]!
  if (first === MINUS || isDigit(first)) return numberForm(bytes, start, end)
  if (isWord(TRUE, bytes, start, end) || isWord(FALSE, bytes, start, end)) return ValueForm.boolean
  return isWord(NULL, bytes, start, end) ? ValueForm.null : -1
}

const isWord = (word: Buffer, bytes: Buffer, start: number, end: number): boolean => {
  if (word.length !== end - start) return false
  for (let index = 0; index < word.length; index++) if (bytes[start + index] !== word[index]) return false
  return true
}

/** A decimal of so many digits is written as it was read (IEEE 754 double precision). */
const MAX_DIGITS = 15

/** JavaScript writes numbers below 0.000001 with an exponent (ECMA-262, Number::toString). */
const MAX_FRACTION_DIGITS = 6

/** Tells numbers that JavaScript writes as they are written here. The others may be invalid, too. */
const numberForm = (bytes: Buffer, start: number, end: number): number => {
  const first = bytes[start] === MINUS ? start + 1 : start
  let at = first
  while (at < end && isDigit(bytes[at]!)) at++
  const integerDigits = at - first
  // "-0" is written as "0", and "01" is no number.
  const isInteger = integerDigits > 0 && (bytes[first] !== ZERO || integerDigits === 1)
  if (!isInteger) return ValueForm.otherNumber
  if (at === end)
    return integerDigits <= MAX_DIGITS && (first === start || bytes[first] !== ZERO)
      ? ValueForm.number
      : ValueForm.otherNumber
  if (bytes[at] !== POINT) return ValueForm.otherNumber
  const point = at++
  while (at < end && isDigit(bytes[at]!)) at++
  const fractionDigits = at - point - 1
  const isShort =
    fractionDigits > 0 && fractionDigits <= MAX_FRACTION_DIGITS && integerDigits + fractionDigits <= MAX_DIGITS
  return at === end && isShort && bytes[end - 1] !== ZERO ? ValueForm.number : ValueForm.otherNumber
}
