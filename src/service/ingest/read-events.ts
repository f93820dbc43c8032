import { checkEvent } from '../../wire/check-event.ts'
import { isRecord } from '../../wire/json.ts'
import type { Json, JsonObject } from '../../wire/json.ts'
import type { InboxRow } from '../store/inbox/inbox.ts'
import type { JsonMembers } from '../json/json-members.ts'
import { byteLengthOf, toObject } from '../json/json-members.ts'
import { decodeDecompressed, decompressBody, MAX_BODY_LIMIT_BYTES } from './decode-body.ts'
import type { BodyFormat } from './body-format.ts'
import type { KnownProperties, ScannedEvent, ScannedEvents } from './event-scanner.ts'
import { createEventScanner, LARGE_EVENT } from './event-scanner.ts'
import { findLargeEvents } from './find-large-events.ts'
import { sortEvents } from './sort-events.ts'
import type { IngestRequest } from './parse-request.ts'
import { parseRequest, readHistoricalMigration } from './parse-request.ts'
import { scanRequest } from './scan-request.ts'
import { resolveTimestamp } from './resolve-timestamp.ts'
import { isUuid } from '../../codec/uuid.ts'

/** One event of an inbox row, ready to be indexed. */
export interface IngestedEvent {
  /** Its index in the request, dropped events included: with the row's id it identifies the event permanently. */
  readonly index: number
  /** From `uuid`, `messageId` or `message_id`, in lower case; undefined when missing or malformed. */
  readonly uuid: string | undefined
  readonly event: string
  readonly distinctId: string
  /** Time of the event, in milliseconds since 1970. */
  readonly timestamp: number
  /** True for events of a historical migration. */
  readonly isHistorical: boolean
  /** Includes `$set`, `$set_once` and `$unset` of the event object itself, where browsers put them. */
  readonly properties: JsonObject | JsonMembers
  /** The properties that the service itself reads, or all. */
  readonly knownProperties: KnownProperties
}

/** An inbox row, with its body decompressed if that was done elsewhere. */
export interface DecompressedRow extends InboxRow {
  /** `decompressBody` of the body; missing or null if that is still to be done. */
  readonly decompressed?: Uint8Array | null
}

// It keeps the names of properties from one row to the next.
const scanner = createEventScanner()

/**
 * Reads the valid events of an inbox row, as the code that accepted it did. They are sorted into processing order (see
 * `sortEvents`); those of a historical migration keep their order. A replay of a row returns the same events. Throws
 * `HttpError` only for a row that could never have been accepted, in a damaged file.
 */
export const readEvents = (row: DecompressedRow): IngestedEvent[] => {
  const format: BodyFormat = JSON.parse(row.form)
  const request = readRequest(row, format)
  const { sentAt = format.sentAt, historicalMigration } = request
  const events: IngestedEvent[] = []
  for (const [index, event] of request.events.entries()) {
    const fields: EventFields | null = 'json' in event ? parseFields(event.json) : event
    if (fields === null) continue
    events.push({
      index,
      // Segment's clients send `messageId`; newer ones also send the same id as `uuid`.
      uuid: parseUuid(fields.uuid) ?? parseUuid(fields.messageId) ?? parseUuid(fields.message_id),
      event: fields.event,
      distinctId: fields.distinctId,
      timestamp: resolveTimestamp({
        timestamp: fields.timestamp,
        offset: fields.offset,
        sentAt,
        receivedAt: row.receivedAt,
        isCorrected: !historicalMigration && fields.knownProperties['$ignore_sent_at'] !== true,
      }),
      isHistorical: historicalMigration,
      properties: fields.properties,
      knownProperties: fields.knownProperties,
    })
  }
  return historicalMigration ? events : sortEvents(events)
}

interface ReadRequest extends Pick<IngestRequest, 'historicalMigration'> {
  readonly events: ScannedEvents
  readonly sentAt: Json | undefined
}

/** Scans a request if it is usual, and parses it if not. */
const readRequest = ({ body, decompressed }: DecompressedRow, format: BodyFormat): ReadRequest => {
  // The front enforced the configured limit when it accepted the row; the limit may have been lowered since.
  const bytes = decompressed ?? decompressBody(body, MAX_BODY_LIMIT_BYTES)
  const scanned = format.endpoint === 'engage' ? null : scanRequest(toBuffer(bytes), scanner)
  scanner.endRequest()
  if (scanned !== null) {
    const { events, fields } = scanned
    return {
      events: isMostlyProperties(events, bytes.length) ? events : events.map(parseProperties),
      sentAt: fields['sent_at'] ?? fields['sentAt'] ?? undefined,
      historicalMigration: readHistoricalMigration(fields),
    }
  }
  const string = decodeDecompressed(bytes, format, MAX_BODY_LIMIT_BYTES)
  const request = parseRequest(string, format)
  const largeEvents = findLargeEvents(string, request)
  return {
    events: request.events.map((json, index) => (largeEvents.has(index) ? LARGE_EVENT : { json })),
    sentAt: request.sentAt ?? undefined,
    historicalMigration: request.historicalMigration,
  }
}

/** Part of a body that must be properties of events, so that they are not parsed: an event keeps the whole body in memory. */
const MIN_PROPERTIES_SHARE = 0.25

const isMostlyProperties = (events: ScannedEvents, bodyBytes: number): boolean => {
  let propertyBytes = 0
  for (const event of events) if ('properties' in event) propertyBytes += byteLengthOf(event.properties)
  return propertyBytes >= bodyBytes * MIN_PROPERTIES_SHARE
}

const parseProperties = (event: ScannedEvents[number]): ScannedEvents[number] =>
  'json' in event ? event : { ...event, properties: toObject(event.properties) }

/** Without a copy. */
const toBuffer = (bytes: Uint8Array): Buffer =>
  Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)

/** The fields of an event, scanned or parsed. */
interface EventFields extends ScannedEvent {
  readonly messageId?: Json | undefined
  readonly message_id?: Json | undefined
}

/** The fields of a parsed event; null for one that is not stored. */
const parseFields = (json: Json): EventFields | null => {
  const check = checkEvent(json)
  if (check.kind !== 'event' || !isRecord(json)) return null
  const { event, distinctId, properties } = check.event
  const { uuid, messageId, message_id, timestamp, offset } = json
  return {
    event,
    distinctId,
    uuid,
    messageId,
    message_id,
    timestamp,
    offset,
    properties,
    knownProperties: properties,
  }
}

const parseUuid = (value: Json | undefined): string | undefined =>
  typeof value === 'string' && isUuid(value) ? value.toLowerCase() : undefined
