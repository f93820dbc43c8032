import { checkEvent } from '../../wire/check-event.ts'
import { badRequest } from '../http-error.ts'
import type { HttpError } from '../http-error.ts'
import { decodeBody } from './decode-body.ts'
import { checkMigration } from './check-migration.ts'
import type { DroppedEvents } from './drop-reporter.ts'
import type { BodyFormat } from './body-format.ts'
import { parseRequest, multipleKeysError } from './parse-request.ts'
import { splitRequest } from './split-request.ts'

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
  /** Malformed events of a batch; they are dropped and the protocol accepts the rest with 200. Null for none. */
  readonly dropped: DroppedEvents | null
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
  if (string.length <= CHUNK_UNITS) return inspectChunk(string, format)
  const limits = { maxValues: Math.floor(maxBytes / BYTES_PER_VALUE), chunkUnits: CHUNK_UNITS }
  let inspection: Inspection | null = null
  for (const chunk of splitRequest(string, limits))
    inspection = mergeInspections(inspection, inspectChunk(chunk, format, inspection?.eventCount ?? 0))
  // `splitRequest` yields at least one chunk.
  return inspection!
}

/** @param precedingCount Number of events in the earlier chunks of the request. */
const inspectChunk = (chunk: string, format: BodyFormat, precedingCount = 0): Inspection => {
  const request = parseRequest(chunk, format)
  const { apiKey, isSingle, events, historicalMigration: isHistorical } = request
  let isStorable = false
  let failure: HttpError | null = null
  let droppedCount = 0
  let reason = ''
  for (const event of events) {
    const check = checkEvent(event)
    if (check.kind === 'event') isStorable = true
    if (check.kind !== 'invalid') continue
    if (isSingle) failure = badRequest('invalid_event', check.detail, check.attr)
    else {
      droppedCount += 1
      reason ||= check.detail
    }
  }
  if (isHistorical && isStorable) failure = checkMigration(request, precedingCount)
  return {
    apiKey,
    isSingle,
    isHistorical,
    eventCount: events.length,
    isStorable,
    dropped: droppedCount === 0 ? null : { count: droppedCount, reason },
    failure,
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
    dropped: mergeDropped(first.dropped, second.dropped),
    failure: first.failure ?? second.failure,
  }
}

const mergeDropped = (first: DroppedEvents | null, second: DroppedEvents | null): DroppedEvents | null =>
  first === null || second === null ? (first ?? second) : { count: first.count + second.count, reason: first.reason }
