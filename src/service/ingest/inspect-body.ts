import { HttpError } from '../http-error.ts'
import { decodeBody } from './decode-body.ts'
import { checkMigration } from './check-migration.ts'
import type { EventCuts } from '../../wire/check-event.ts'
import { addCounts, mergeLosses, NO_LOSSES } from './event-losses.ts'
import type { DropCounts, EventLosses } from './event-losses.ts'
import { readLargeEvents } from './find-large-events.ts'
import { describeCuts, inspectEvent } from './inspect-event.ts'
import type { BodyFormat } from './body-format.ts'
import { parseRequest, multipleKeysError } from './parse-request.ts'
import { splitRequest } from './split-request.ts'
import type { RequestPart } from './split-request.ts'

/** What the service needs to know about a request before it is stored. Small for any request, because it crosses threads. */
export interface Inspection {
  /** The project API key, from `api_key` or `token`; null when missing. */
  readonly apiKey: string | null
  /** True when the body is one event: an invalid event is then an invalid request. */
  readonly isSingle: boolean
  /** True for a historical migration. */
  readonly isHistorical: boolean
  /** Number of events in the request, dropped ones included. */
  readonly eventCount: number
  /** Whether at least one event is valid and will be stored. */
  readonly isStorable: boolean
  /** Events that are dropped, and what is cut from others; the protocol accepts the rest with 200. Null for none. */
  readonly losses: EventLosses | null
  /** What is wrong with the request apart from its key, or null. Returned only to senders with a valid key. */
  readonly failure: HttpError | null
}

/** UTF-16 code units of events that are parsed at once, because parsed events can take thirty times as much memory. */
const CHUNK_UNITS = 256 * 1024

/** The body limit divided by this is how many values a body may have. An event with only name and id has ten bytes per value. */
const BYTES_PER_VALUE = 7

/**
 * Decodes a body of any form and checks every event in it, chunk by chunk. This takes the memory of the body, of its decoded
 * string, and of one parsed chunk. Throws `HttpError` (400, 413) for a body that cannot be read.
 *
 * @param maxBytes The body must be smaller, as sent and decoded.
 */
export const inspectBody = (body: Uint8Array, format: BodyFormat, maxBytes: number): Inspection => {
  const string = decodeBody(body, format, maxBytes)
  // So short a string has no event that is too large.
  if (string.length <= CHUNK_UNITS) return inspectPart({ json: string, largeEvents: [] }, format)
  const limits = { maxValues: Math.floor(maxBytes / BYTES_PER_VALUE), chunkUnits: CHUNK_UNITS }
  let inspection: Inspection | null = null
  for (const part of splitRequest(string, limits))
    inspection = mergeInspections(inspection, inspectPart(part, format, inspection?.eventCount ?? 0))
  // `splitRequest` yields at least one chunk.
  return inspection!
}

/** @param precedingCount Number of events in the earlier parts of the request. */
const inspectPart = (part: RequestPart, format: BodyFormat, precedingCount = 0): Inspection => {
  const request = parseRequest(part.json, format)
  const { apiKey, isSingle, events, historicalMigration: isHistorical } = request
  const largeEvents = readLargeEvents(part, request)
  const losses = createLosses()
  let isStorable = false
  let failure: HttpError | null = null
  for (const [index, event] of events.entries()) {
    const inspected = inspectEvent(event, largeEvents.has(index))
    if (inspected.kind === 'stored') {
      isStorable = true
      if (inspected.cuts !== null) losses.addCuts(inspected.cuts)
      continue
    }
    const { reason, attr, detail } = inspected
    if (isSingle && reason in REFUSALS) failure = refusal(REFUSALS[reason as keyof typeof REFUSALS], detail(), attr)
    losses.addDrop(reason, detail)
  }
  if (isHistorical && isStorable) failure = checkMigration(request, precedingCount)
  return {
    apiKey,
    isSingle,
    isHistorical,
    eventCount: events.length,
    isStorable,
    losses: losses.read(),
    failure,
  }
}

/** Reasons for which a request with one event is refused. The others are accepted, as the protocol says. */
const REFUSALS = {
  malformed: { status: 400, type: 'validation_error', code: 'invalid_event' },
  id_too_long: { status: 400, type: 'validation_error', code: 'id_too_long' },
  too_large: { status: 413, type: 'invalid_request', code: 'too_large' },
} as const

const refusal = (
  { status, type, code }: (typeof REFUSALS)[keyof typeof REFUSALS],
  detail: string,
  attr: string | null,
): HttpError => new HttpError(status, { type, code, detail, attr })

/** Counts the losses of a part; nearly all have none. */
const createLosses = () => {
  let counts: { dropped: Record<keyof DropCounts, number>; cut: EventCuts } | null = null
  let detail = ''
  const start = (describe: () => string): NonNullable<typeof counts> => {
    detail ||= describe()
    return (counts ??= { dropped: { ...NO_LOSSES.dropped }, cut: NO_LOSSES.cut })
  }
  return {
    addDrop(reason: keyof DropCounts, describe: () => string): void {
      start(describe).dropped[reason] += 1
    },
    addCuts(cuts: EventCuts): void {
      const started = start(() => describeCuts(cuts))
      started.cut = addCounts({ dropped: NO_LOSSES.dropped, cut: cuts }, started).cut
    },
    read: (): EventLosses | null => (counts === null ? null : { ...counts, detail }),
  }
}

const mergeInspections = (first: Inspection | null, second: Inspection): Inspection => {
  if (first === null) return second
  if (first.apiKey !== null && second.apiKey !== null && first.apiKey !== second.apiKey) throw multipleKeysError()
  return {
    apiKey: first.apiKey ?? second.apiKey,
    isSingle: false,
    isHistorical: first.isHistorical,
    eventCount: first.eventCount + second.eventCount,
    isStorable: first.isStorable || second.isStorable,
    losses: mergeLosses(first.losses, second.losses),
    failure: first.failure ?? second.failure,
  }
}
