import { MAX_EVENT_BYTES } from '../../wire/bounds.ts'
import type { HttpError } from '../http-error.ts'
import { badRequest } from '../http-error.ts'
import { createJsonScanner, MAX_EVENT_VALUES } from './json-scanner.ts'
import type { JsonScanner } from './json-scanner.ts'

/** Limits of a body and of its chunks. */
export interface ChunkLimits {
  /** Objects, arrays, members and elements that a body may have. */
  readonly maxValues: number
  /** UTF-16 code units of events in one chunk; a single event may be longer. */
  readonly chunkUnits: number
}

/** A part of a request, which is itself a request. */
export interface RequestPart {
  readonly json: string
  /** Indexes, in this part, of events that are larger than `MAX_EVENT_BYTES`. Null if the events were not found. */
  readonly largeEvents: readonly number[] | null
}

/**
 * Splits the JSON of a request into smaller requests with fewer events each, so that parsing takes the memory of one chunk.
 * Every chunk has all fields of the request besides its events. Yields at least one chunk, in order. Anything but a request in
 * JSON is yielded unchanged, for the parser to reject. Throws `HttpError`: 413 above the limits, 400 for invalid JSON that is
 * too large to be parsed.
 */
export const splitRequest = function* (json: string, { maxValues, chunkUnits }: ChunkLimits): Generator<RequestPart> {
  const scanner = createJsonScanner(json, maxValues)
  const frame = findFrame(scanner, json)
  if (frame === null) {
    if (scanner.valueCount() > MAX_EVENT_VALUES) throw unreadableError(scanner.position())
    yield { json, largeEvents: null }
    return
  }
  const { open, close, arrayStart } = frame
  // Each chunk repeats the frame, so it has at least as many units of events.
  const units = Math.max(chunkUnits, open.length + close.length)
  scanner.restartAt(arrayStart + 1)
  let isFirst = true
  for (let hasMore = true; hasMore;) {
    scanner.skipWhitespace()
    const begin = scanner.position()
    let end = begin
    const largeEvents: number[] = []
    for (let index = 0; hasMore && end - begin < units; index++) {
      const eventStart = scanner.position()
      hasMore = scanner.skipEvent(isFirst) === 'more'
      isFirst = false
      end = hasMore ? scanner.position() - 1 : scanner.position()
      if (isLarge(json, eventStart, end)) largeEvents.push(index)
    }
    yield { json: `${open}${json.slice(begin, end)}${close}`, largeEvents }
  }
}

/** Maximum bytes of a UTF-16 code unit in UTF-8. */
const BYTES_PER_UNIT = 3

/** Whether a part of a string has more bytes than an event may have, without the white space around it. */
export const isLarge = (json: string, start: number, end: number): boolean =>
  (end - start) * BYTES_PER_UNIT > MAX_EVENT_BYTES && Buffer.byteLength(json.slice(start, end).trim()) > MAX_EVENT_BYTES

/** The JSON before and after a request's events. */
interface RequestFrame {
  readonly open: string
  readonly close: string
  /** Position of the array of events. */
  readonly arrayStart: number
}

/** Scans the whole string; null for a single event, and for malformed JSON outside values. */
const findFrame = (scanner: JsonScanner, json: string): RequestFrame | null => {
  scanner.skipWhitespace()
  if (scanner.isAt('[')) {
    const arrayStart = scanner.position()
    return scanner.skipEventArray() && scanner.skipToEnd() ? { open: '[', close: ']', arrayStart } : null
  }
  if (!scanner.isAt('{')) return null
  const otherMembers: string[] = []
  let arrayStart: number | null = null
  for (;;) {
    scanner.advance()
    scanner.skipWhitespace()
    const begin = scanner.position()
    if (!scanner.skipString()) return null
    const isBatch = isMemberName(json.slice(begin, scanner.position()), 'batch')
    scanner.skipWhitespace()
    if (!scanner.isAt(':')) return null
    scanner.advance()
    scanner.skipWhitespace()
    const isArray = scanner.isAt('[')
    const valueStart = scanner.position()
    // JSON.parse would use the last of two "batch" members, but both must be valid JSON.
    if (isBatch && arrayStart !== null) return null
    if (isBatch && isArray) {
      arrayStart = valueStart
      if (!scanner.skipEventArray()) return null
    } else {
      if (!scanner.skipValue()) return null
      otherMembers.push(json.slice(begin, scanner.position()))
    }
    scanner.skipWhitespace()
    if (!scanner.isAt(',')) break
  }
  if (!scanner.isAt('}')) return null
  scanner.advance()
  if (!scanner.skipToEnd() || arrayStart === null) return null
  return { open: `{${[...otherMembers, '"batch":['].join()}`, close: ']}', arrayStart }
}

/** Whether a JSON string literal is `name`. */
const isMemberName = (literal: string, name: string): boolean => {
  if (literal === `"${name}"`) return true
  // Any letter can be escaped, in at most six characters.
  if (!literal.includes('\\') || literal.length > 6 * name.length + 2) return false
  try {
    return JSON.parse(literal) === name
  } catch {
    return false
  }
}

const unreadableError = (position: number): HttpError =>
  badRequest(
    'invalid_json',
    `The body is not valid JSON at character ${position}, or has "batch" twice. Send one JSON value.`,
  )
