import { Refusal } from '../refusal.ts'

/** Objects, arrays, members and elements that one event may hold: in memory each can be thirty times as large as in the text. */
export const MOST_EVENT_VALUES = 200_000

/**
 * A place in a text of JSON that moves over values without reading them: what is inside one is left for its reader to
 * refuse. Whatever moves answers false where the text cannot go on so.
 */
export interface JsonScan {
  at(): number
  /** Objects, arrays, members and elements so far. */
  values(): number
  moveTo(place: number): void
  is(sign: string): boolean
  isEnd(): boolean
  step(): void
  space(): void
  string(): boolean
  /** One value that is no event, or is the only one. */
  value(): boolean
  /** An array of events. */
  array(): boolean
  /** One event and the comma after it; `last` where an end follows instead, or where there is none at all. */
  element(isFirst: boolean): 'more' | 'last' | 'broken'
}

const QUOTE = 34
const BACKSLASH = 92

/**
 * Scans a text of JSON from its beginning. Throws `Refusal` (413) where it moves over more values than a body or an event may
 * hold, and reads no further.
 *
 * @param mostValues Objects, arrays, members and elements that the text may hold.
 */
export const createJsonScan = (text: string, mostValues: number): JsonScan => {
  const { length } = text
  let at = 0
  let values = 0
  let ownValues = 0

  const space = (): void => {
    for (; at < length; at++) {
      const code = text.charCodeAt(at)
      if (code !== 32 && code !== 10 && code !== 13 && code !== 9) return
    }
  }

  const string = (): boolean => {
    if (text.charCodeAt(at) !== QUOTE) return false
    for (;;) {
      at = text.indexOf('"', at + 1)
      if (at < 0) {
        at = length
        return false
      }
      let escapes = 0
      while (text.charCodeAt(at - 1 - escapes) === BACKSLASH) escapes++
      if (escapes % 2 === 0) break
    }
    at++
    return true
  }

  /** Up to the end of what is open, `depth` levels deep, and to the end of each of its values. */
  const close = (depth: number, most: number): boolean => {
    let count = 0
    let open = depth
    while (at < length) {
      switch (text.charCodeAt(at)) {
        case QUOTE:
          if (!string()) return false
          continue
        case 91: // [
        case 123: // {
          open++
          count++
          break
        case 93: // ]
        case 125: // }
          open--
          break
        case 44: // ,
          count++
      }
      at++
      if (count > most) throw tooManyValues(most)
      if (open === 0) {
        values += count
        if (values > mostValues) throw tooManyValues(mostValues)
        return true
      }
    }
    return false
  }

  const isOpening = (): boolean => text.charCodeAt(at) === 91 || text.charCodeAt(at) === 123

  const skip = (most: number): boolean => {
    if (isOpening()) return close(0, most)
    if (text.charCodeAt(at) === QUOTE) return string()
    const from = at
    while (at < length && !ENDS.has(text.charCodeAt(at))) at++
    return at > from
  }

  const element = (isFirst: boolean): 'more' | 'last' | 'broken' => {
    space()
    if (isFirst && text.charCodeAt(at) === 93) return 'last'
    if (!skip(MOST_EVENT_VALUES)) return 'broken'
    space()
    if (text.charCodeAt(at) !== 44) return 'last'
    at++
    if (++values > mostValues) throw tooManyValues(mostValues)
    return 'more'
  }

  return {
    at: () => at,
    values: () => values,
    moveTo(place) {
      at = place
      values = 0
    },
    is: (sign) => text[at] === sign,
    isEnd() {
      space()
      return at === length
    },
    step() {
      at++
    },
    space,
    string,
    value() {
      const before = values
      const isWhole = skip(MOST_EVENT_VALUES - ownValues)
      ownValues += 1 + values - before
      if (ownValues > MOST_EVENT_VALUES) throw tooManyValues(MOST_EVENT_VALUES)
      return isWhole
    },
    array() {
      at++
      let next = element(true)
      while (next === 'more') next = element(false)
      if (next === 'broken' || text.charCodeAt(at) !== 93) return false
      at++
      return true
    },
    element,
  }
}

/** Where a number, true, false or null ends: a comma, a bracket, white space. */
const ENDS: ReadonlySet<number> = new Set([44, 93, 125, 32, 10, 13, 9])

/** 413: senders split what is too large. */
const tooManyValues = (most: number): Refusal =>
  new Refusal(413, {
    type: 'invalid_request',
    code: 'too_many_values',
    detail: `The body holds more than ${most} objects, arrays and values${most === MOST_EVENT_VALUES ? ' in one event' : ''}. Send less per request.`,
    attr: null,
  })
