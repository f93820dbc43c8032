import type { Refusal } from '../refusal.ts'
import { invalid } from '../refusal.ts'
import { createJsonScan, MOST_EVENT_VALUES } from './json-scan.ts'
import type { JsonScan } from './json-scan.ts'

/** Bounds of what a body may hold, and of the pieces it is read in. */
export interface PieceBounds {
  /** Objects, arrays, members and elements that a body may hold. */
  readonly mostValues: number
  /** UTF-16 code units of events in one piece; one event alone may be longer. */
  readonly pieceUnits: number
}

/**
 * Splits the JSON text of a request into texts of requests with fewer events, each with everything else that the whole says
 * of them: whoever reads one after the other needs the memory of one. In order, and at least one. A text that is none of a
 * request, or no JSON, comes out as it is, for its reader to refuse. Throws `Refusal`: 413 beyond the bounds, 400 for what is
 * too large to be left to its reader.
 */
export const requestPieces = function* (text: string, { mostValues, pieceUnits }: PieceBounds): Generator<string> {
  const scan = createJsonScan(text, mostValues)
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
const frameOf = (scan: JsonScan, text: string): Frame | null => {
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

const unreadable = (at: number): Refusal =>
  invalid('invalid_json', `The body is not JSON, or names "batch" twice: it cannot be read from character ${at} on.`)
