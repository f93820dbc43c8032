import {
  BACKSLASH,
  CARRIAGE_RETURN,
  CLOSING_BRACE,
  CLOSING_BRACKET,
  COMMA,
  LINE_FEED,
  OPENING_BRACE,
  OPENING_BRACKET,
  QUOTE,
  SPACE,
  TAB,
} from './characters.ts'

// These functions take a position in the bytes of JSON and return the position behind what they skip, or -1 where that does not end. They
// find the end of a value; whether it is valid is left to the JSON parser.

/** Objects and arrays that are nested deeper are not skipped. */
const MAX_DEPTH = 100

export const skipWhitespace = (bytes: Uint8Array, start: number): number => {
  let at = start
  while (bytes[at] === SPACE || bytes[at] === LINE_FEED || bytes[at] === CARRIAGE_RETURN || bytes[at] === TAB) at++
  return at
}

/** @param start of the opening quotation mark. */
export const skipString = (bytes: Uint8Array, start: number): number => {
  const { length } = bytes
  for (let at = start + 1; at < length; at++) {
    if (bytes[at] === QUOTE) return at + 1
    if (bytes[at] === BACKSLASH) at++
  }
  return -1
}

/** @param start of the opening bracket. */
export const skipContainer = (bytes: Uint8Array, start: number): number => {
  const { length } = bytes
  let depth = 0
  let at = start
  while (at < length) {
    switch (bytes[at]) {
      case QUOTE:
        at = skipString(bytes, at)
        if (at < 0) return -1
        continue
      case OPENING_BRACE:
      case OPENING_BRACKET:
        depth++
        if (depth > MAX_DEPTH) return -1
        break
      case CLOSING_BRACE:
      case CLOSING_BRACKET:
        depth--
    }
    at++
    if (depth === 0) return at
  }
  return -1
}

/** Skips a value of any type. */
export const skipValue = (bytes: Uint8Array, start: number): number => {
  const first = bytes[start]
  if (first === QUOTE) return skipString(bytes, start)
  if (first === OPENING_BRACE || first === OPENING_BRACKET) return skipContainer(bytes, start)
  return skipScalar(bytes, start)
}

/** Skips a number, true, false or null. */
export const skipScalar = (bytes: Uint8Array, start: number): number => {
  const { length } = bytes
  let at = start
  while (at < length && !endsScalar(bytes[at]!)) at++
  return at > start && at < length ? at : -1
}

const endsScalar = (byte: number): boolean =>
  byte === COMMA ||
  byte === CLOSING_BRACE ||
  byte === CLOSING_BRACKET ||
  byte === SPACE ||
  byte === LINE_FEED ||
  byte === CARRIAGE_RETURN ||
  byte === TAB
