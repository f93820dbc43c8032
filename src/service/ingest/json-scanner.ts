import { HttpError } from '../http-error.ts'
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
} from '../json/characters.ts'

/**
 * Maximum number of values in one event; in memory a value can take thirty times its size in JSON. The scanner counts opening
 * brackets and commas: one for each object or array, and one for each member or element after the first.
 */
export const MAX_EVENT_VALUES = 200_000

/**
 * A cursor that skips values of a JSON string without parsing them; errors inside a value are left to the JSON parser.
 * `skipString`, `skipValue` and `skipEventArray` return false where the string is not valid JSON.
 */
export interface JsonScanner {
  position(): number
  /** Objects, arrays, members and elements skipped so far. */
  valueCount(): number
  /** Moves to a position and resets `valueCount`, so that events can be skipped again. The values of `skipValue` stay counted. */
  restartAt(position: number): void
  /** Whether the next character is this one. */
  isAt(character: string): boolean
  /** Skips white space. Returns whether the end of the string is reached. */
  skipToEnd(): boolean
  /** Skips one character. */
  advance(): void
  skipWhitespace(): void
  skipString(): boolean
  /** Skips one value outside the array of events. All these values together share the limit of one event. */
  skipValue(): boolean
  /** Skips an array of events. */
  skipEventArray(): boolean
  /** Skips one event and the comma after it. Returns `last` when no comma follows or the array is empty. */
  skipEvent(isFirst: boolean): 'more' | 'last' | 'broken'
}

/**
 * Creates a scanner at the beginning of a JSON string. Throws `HttpError` (413) as soon as it has skipped more values than a
 * body or an event may have.
 *
 * @param maxValues Objects, arrays, members and elements that the string may have.
 */
export const createJsonScanner = (json: string, maxValues: number): JsonScanner => {
  const { length } = json
  let at = 0
  let valueCount = 0
  let outsideValueCount = 0

  const skipWhitespace = (): void => {
    for (; at < length; at++) {
      const code = json.charCodeAt(at)
      if (code !== SPACE && code !== LINE_FEED && code !== CARRIAGE_RETURN && code !== TAB) return
    }
  }

  const skipString = (): boolean => {
    if (json.charCodeAt(at) !== QUOTE) return false
    for (;;) {
      at = json.indexOf('"', at + 1)
      if (at < 0) {
        at = length
        return false
      }
      let backslashes = 0
      while (json.charCodeAt(at - 1 - backslashes) === BACKSLASH) backslashes++
      if (backslashes % 2 === 0) break
    }
    at++
    return true
  }

  /** Skips an object or array, with everything in it. */
  const skipContainer = (limit: number): boolean => {
    let count = 0
    let depth = 0
    while (at < length) {
      switch (json.charCodeAt(at)) {
        case QUOTE:
          if (!skipString()) return false
          continue
        case OPENING_BRACKET:
        case OPENING_BRACE:
          depth++
          count++
          break
        case CLOSING_BRACKET:
        case CLOSING_BRACE:
          depth--
          break
        case COMMA:
          count++
      }
      at++
      if (count > limit) throw tooManyValuesError(limit)
      if (depth === 0) {
        valueCount += count
        if (valueCount > maxValues) throw tooManyValuesError(maxValues)
        return true
      }
    }
    return false
  }

  const isOpening = (): boolean => json.charCodeAt(at) === OPENING_BRACKET || json.charCodeAt(at) === OPENING_BRACE

  const skip = (limit: number): boolean => {
    if (isOpening()) return skipContainer(limit)
    if (json.charCodeAt(at) === QUOTE) return skipString()
    const start = at
    while (at < length && !SCALAR_ENDS.has(json.charCodeAt(at))) at++
    return at > start
  }

  const skipEvent = (isFirst: boolean): 'more' | 'last' | 'broken' => {
    skipWhitespace()
    if (isFirst && json.charCodeAt(at) === CLOSING_BRACKET) return 'last'
    if (!skip(MAX_EVENT_VALUES)) return 'broken'
    skipWhitespace()
    if (json.charCodeAt(at) !== COMMA) return 'last'
    at++
    if (++valueCount > maxValues) throw tooManyValuesError(maxValues)
    return 'more'
  }

  return {
    position: () => at,
    valueCount: () => valueCount,
    restartAt(position) {
      at = position
      valueCount = 0
    },
    isAt: (character) => json[at] === character,
    skipToEnd() {
      skipWhitespace()
      return at === length
    },
    advance() {
      at++
    },
    skipWhitespace,
    skipString,
    skipValue() {
      const countBefore = valueCount
      const isComplete = skip(MAX_EVENT_VALUES - outsideValueCount)
      // Plus 1 for the member itself, because the comma before it is not part of the value.
      outsideValueCount += 1 + valueCount - countBefore
      if (outsideValueCount > MAX_EVENT_VALUES) throw tooManyValuesError(MAX_EVENT_VALUES)
      return isComplete
    },
    skipEventArray() {
      at++
      let result = skipEvent(true)
      while (result === 'more') result = skipEvent(false)
      if (result === 'broken' || json.charCodeAt(at) !== CLOSING_BRACKET) return false
      at++
      return true
    },
    skipEvent,
  }
}

/** What ends a number, true, false or null: a comma, a closing bracket, white space. */
const SCALAR_ENDS: ReadonlySet<number> = new Set([
  COMMA,
  CLOSING_BRACKET,
  CLOSING_BRACE,
  SPACE,
  LINE_FEED,
  CARRIAGE_RETURN,
  TAB,
])

/** 413, because senders split batches that are too large. */
const tooManyValuesError = (limit: number): HttpError =>
  new HttpError(413, {
    type: 'invalid_request',
    code: 'too_many_values',
    detail:
      `The body has more than ${limit} objects, arrays and values${limit === MAX_EVENT_VALUES ? ' in one event' : ''}. ` +
      'Send less per request.',
    attr: null,
  })
