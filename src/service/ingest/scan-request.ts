import { isUtf8 } from 'node:buffer'
import type { Json, JsonObject } from '../../wire/json.ts'
import { CLOSING_BRACE, COLON, COMMA, OPENING_BRACE, OPENING_BRACKET, QUOTE } from '../json/characters.ts'
import { parseValue } from '../json/json-members.ts'
import { skipString, skipValue, skipWhitespace } from '../json/skip-value.ts'
import type { EventScanner, ScannedEvents } from './event-scanner.ts'

/** A request whose events were found, but not parsed. */
export interface ScannedRequest {
  readonly events: ScannedEvents
  /** The members of `REQUEST_FIELDS`. */
  readonly fields: JsonObject
}

/** The members of a request that are read beside its events (`parseRequest`). */
const REQUEST_FIELDS = new Set(['sent_at', 'sentAt', 'historical_migration'])

/**
 * Finds the events of a request without parsing them. Returns null for a body that has to be parsed: of an unusual form, or not valid.
 *
 * @param bytes The decompressed body.
 */
export const scanRequest = (bytes: Buffer, scanner: EventScanner): ScannedRequest | null => {
  const first = bytes[0]
  if ((first !== OPENING_BRACE && first !== OPENING_BRACKET) || !isUtf8(bytes)) return null
  scanner.startRequest(bytes)
  if (first === OPENING_BRACKET) {
    const events = scanner.scanEvents(0)
    return events === null || skipWhitespace(bytes, scanner.end()) < bytes.length ? null : { events, fields: {} }
  }
  const fields: Record<string, Json> = {}
  let events: ScannedEvents | null = null
  let at = 0
  do {
    at = skipWhitespace(bytes, at + 1)
    const nameStart = at + 1
    at = bytes[at] === QUOTE ? skipString(bytes, at) : -1
    if (at < 0) return null
    const name = bytes.toString('latin1', nameStart, at - 1)
    at = skipWhitespace(bytes, at)
    // An escape can hide any name.
    if (bytes[at] !== COLON || name.includes('\\')) return null
    const valueStart = skipWhitespace(bytes, at + 1)
    if (name === 'batch') {
      // Of a member that occurs twice, JSON parsers keep the last.
      if (events !== null) return null
      events = scanner.scanEvents(valueStart)
      if (events === null) return null
      at = scanner.end()
    } else {
      at = skipValue(bytes, valueStart)
      if (at < 0) return null
      if (REQUEST_FIELDS.has(name)) fields[name] = parseValue(bytes, valueStart, at)
    }
    at = skipWhitespace(bytes, at)
  } while (bytes[at] === COMMA)
  if (bytes[at] !== CLOSING_BRACE || skipWhitespace(bytes, at + 1) < bytes.length) return null
  if (events !== null) return { events, fields }
  const event = scanner.scanEvent(0)
  return event === null ? null : { events: [event], fields }
}
