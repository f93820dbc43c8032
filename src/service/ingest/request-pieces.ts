import { invalid, Refusal } from '../refusal.ts'

/** Bounds of what a body may hold, and of the pieces it is read in. */
export interface PieceBounds {
  /** Objects, arrays, members and elements that a body may hold. */
  readonly mostValues: number
  /** UTF-16 code units of events in one piece; one event alone may be longer. */
  readonly pieceUnits: number
}

/** Objects, arrays, members and elements that one event may hold: in memory each can be thirty times as large as in the text. */
export const MOST_EVENT_VALUES = 200_000

/**
 * Splits the JSON text of a request into texts of requests with fewer events, each with everything else that the whole says
 * of them: whoever reads one after the other needs the memory of one. In order, and at least one. A text that is none of a
 * request, or no JSON, comes out as it is, for its reader to refuse. Throws `Refusal`: 413 beyond the bounds, 400 for what is
 * too large to be left to its reader.
 */
export function* requestPieces(text: string, { mostValues, pieceUnits }: PieceBounds): Generator<string> {
  const scan = createScan(text, mostValues)
  const frame = frameOf(scan, text)
  if (frame === null) {
    if (scan.values() > MOST_EVENT_VALUES) throw unreadable(scan.at())
    yield text
    return
  }
  const { open, close, from } = frame
  // What stands around the events is read with each piece: as much of them must go with it.
  const units = Math.max(pieceUnits, open.length + close.length)
  scan.moveTo(from + 1)
  let isFirst = true
  for (let isMore = true; isMore;) {
    scan.space()
    const begin = scan.at()
    let end = begin
    while (isMore && end - begin < units) {
      isMore = scan.element(isFirst) === 'more'
      isFirst = false
      end = isMore ? scan.at() - 1 : scan.at()
    }
    yield `${open}${text.slice(begin, end)}${close}`
  }
}

/** What stands around a request's events. */
interface Frame {
  readonly open: string
  readonly close: string
  /** Where the array of events begins. */
  readonly from: number
}

/** Passes over the whole text; null for one event, and for what is not well-formed on the outside. */
const frameOf = (scan: Scan, text: string): Frame | null => {
  scan.space()
  if (scan.is('[')) {
    const from = scan.at()
    return scan.array() && scan.isEnd() ? { open: '[', close: ']', from } : null
  }
  if (!scan.is('{')) return null
  const others: string[] = []
  let from: number | null = null
  for (;;) {
    scan.step()
    scan.space()
    const begin = scan.at()
    if (!scan.string()) return null
    const isBatch = isName(text.slice(begin, scan.at()), 'batch')
    scan.space()
    if (!scan.is(':')) return null
    scan.step()
    scan.space()
    const isArray = scan.is('[')
    const value = scan.at()
    // Of two members with one name the last counts, but all must be JSON.
    if (isBatch && from !== null) return null
    if (isBatch && isArray) {
      from = value
      if (!scan.array()) return null
    } else {
      if (!scan.value()) return null
      others.push(text.slice(begin, scan.at()))
    }
    scan.space()
    if (!scan.is(',')) break
  }
  if (!scan.is('}')) return null
  scan.step()
  if (!scan.isEnd() || from === null) return null
  return { open: `{${[...others, '"batch":['].join()}`, close: ']}', from }
}

const isName = (quoted: string, name: string): boolean => {
  if (quoted === `"${name}"`) return true
  // Any letter may be written as an escape.
  if (!quoted.includes('\\') || quoted.length > 6 * name.length + 2) return false
  try {
    return JSON.parse(quoted) === name
  } catch {
    return false
  }
}

/**
 * A place in a text of JSON that moves over values without reading them: what is inside one is left for its reader to
 * refuse. Whatever moves answers false where the text cannot go on so.
 */
interface Scan {
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

const createScan = (text: string, mostValues: number): Scan => {
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

const unreadable = (at: number): Refusal =>
  invalid('invalid_json', `The body is not JSON, or names "batch" twice: it cannot be read from character ${at} on.`)
