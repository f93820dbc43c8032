import { checkEvent } from '../../wire/check-event.ts'
import { invalid } from '../refusal.ts'
import type { Refusal } from '../refusal.ts'
import { bodyText } from './body.ts'
import { checkMigration } from './check-migration.ts'
import type { DroppedEvents } from './drop-watch.ts'
import type { BodyForm } from './form.ts'
import { parseRequest, severalKeys } from './request.ts'
import { requestPieces } from './request-pieces.ts'

/** What must be known of a request before it is stored. Small, whatever the request: it crosses threads. */
export interface Inspection {
  /** The project api key, from `api_key` or `token`; null when none is given. */
  readonly apiKey: string | null
  /** True when the body is one event: what is wrong with it is then wrong with the request. */
  readonly isSingle: boolean
  /** True for an import. */
  readonly isHistorical: boolean
  /** How many events came, those that are dropped counted. */
  readonly events: number
  /** Whether anything is left to store once bad events are dropped. */
  readonly isStorable: boolean
  /** Events of a batch that are dropped because they are ill-formed: the protocol answers the rest with 200. Null for none. */
  readonly dropped: DroppedEvents | null
  /** What is wrong with the request beside its key, or null: for a sender whose key is known. */
  readonly failure: Refusal | null
}

/** UTF-16 code units of events that are parsed at once: parsed, they can take thirty times as much memory. */
const PIECE_UNITS = 256 * 1024

/** Bytes of the body limit for each value that a body may hold. An event of a name and an id alone has ten for each. */
const BYTES_PER_VALUE = 7

/**
 * Reads a body of any form and checks every event in it, a piece at a time: it takes the memory of the text, of the body,
 * and of one piece. Throws `Refusal` (400, 413) for a body that cannot be read.
 *
 * @param maxBytes The body and its text are smaller.
 */
export const inspect = (body: Uint8Array, form: BodyForm, maxBytes: number): Inspection => {
  const text = bodyText(body, form, maxBytes)
  if (text.length <= PIECE_UNITS) return inspectText(text, form)
  const bounds = { mostValues: Math.floor(maxBytes / BYTES_PER_VALUE), pieceUnits: PIECE_UNITS }
  let whole: Inspection | null = null
  for (const piece of requestPieces(text, bounds)) whole = joined(whole, inspectText(piece, form, whole?.events ?? 0))
  // A text has at least one piece.
  return whole!
}

/** @param before Events of the request that came before these. */
const inspectText = (text: string, form: BodyForm, before = 0): Inspection => {
  const request = parseRequest(text, form)
  const { apiKey, isSingle, events, historicalMigration: isHistorical } = request
  let isStorable = false
  let failure: Refusal | null = null
  let dropped = 0
  let reason = ''
  for (const event of events) {
    const check = checkEvent(event)
    if (check.kind === 'event') isStorable = true
    if (check.kind !== 'invalid') continue
    if (isSingle) failure = invalid('invalid_event', check.detail, check.attr)
    else {
      dropped += 1
      reason ||= check.detail
    }
  }
  if (isHistorical && isStorable) failure = checkMigration(request, before)
  return {
    apiKey,
    isSingle,
    isHistorical,
    events: events.length,
    isStorable,
    dropped: dropped === 0 ? null : { count: dropped, reason },
    failure,
  }
}

const joined = (one: Inspection | null, other: Inspection): Inspection => {
  if (one === null) return other
  if (one.apiKey !== null && other.apiKey !== null && one.apiKey !== other.apiKey) throw severalKeys()
  return {
    apiKey: one.apiKey ?? other.apiKey,
    isSingle: false,
    isHistorical: one.isHistorical,
    events: one.events + other.events,
    isStorable: one.isStorable || other.isStorable,
    dropped: both(one.dropped, other.dropped),
    failure: one.failure ?? other.failure,
  }
}

const both = (one: DroppedEvents | null, other: DroppedEvents | null): DroppedEvents | null =>
  one === null || other === null ? (one ?? other) : { count: one.count + other.count, reason: one.reason }
