import { checkEvent } from '../../wire/check-event.ts'
import { isRecord } from '../../wire/json.ts'
import type { Json, JsonObject } from '../../wire/json.ts'
import type { InboxRow } from '../store/inbox/inbox.ts'
import { decodeBody, MAX_BODY_LIMIT_BYTES } from './decode-body.ts'
import type { BodyFormat } from './body-format.ts'
import { sortEvents } from './sort-events.ts'
import { parseRequest } from './parse-request.ts'
import { resolveTimestamp } from './resolve-timestamp.ts'
import { isUuid } from '../is-uuid.ts'

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
  readonly properties: JsonObject
}

/**
 * Reads the valid events of an inbox row, with the same code that accepted it. They are sorted into processing order (see
 * `sortEvents`); those of a historical migration keep their order. Pure, so a replay of a row returns the same events. Throws
 * `HttpError` only for a row that could never have been accepted, in a damaged file.
 */
export const readEvents = (row: InboxRow): IngestedEvent[] => {
  const format: BodyFormat = JSON.parse(row.form)
  // The front enforced the configured limit when it accepted the row; the limit may have been lowered since.
  const request = parseRequest(decodeBody(row.body, format, MAX_BODY_LIMIT_BYTES), format)
  const events: IngestedEvent[] = []
  for (const [index, value] of request.events.entries()) {
    const check = checkEvent(value)
    if (check.kind !== 'event' || !isRecord(value)) continue
    const { event, distinctId, properties } = check.event
    events.push({
      index,
      // Segment's clients send `messageId`; newer ones also send the same id as `uuid`.
      uuid: parseUuid(value['uuid']) ?? parseUuid(value['messageId']) ?? parseUuid(value['message_id']),
      event,
      distinctId,
      timestamp: resolveTimestamp({
        timestamp: value['timestamp'],
        offset: value['offset'],
        sentAt: request.sentAt ?? format.sentAt,
        receivedAt: row.receivedAt,
        isCorrected: !request.historicalMigration && properties['$ignore_sent_at'] !== true,
      }),
      isHistorical: request.historicalMigration,
      properties: mergeEnvelope(properties, value),
    })
  }
  return request.historicalMigration ? events : sortEvents(events)
}

const parseUuid = (value: Json | undefined): string | undefined =>
  typeof value === 'string' && isUuid(value) ? value.toLowerCase() : undefined

/** Merges the person changes of the event object into its properties. Values of the event object take precedence. */
const mergeEnvelope = (properties: JsonObject, envelope: JsonObject): JsonObject => {
  const names = ['$set', '$set_once', '$unset'].filter((name) => Object.hasOwn(envelope, name))
  if (names.length === 0) return properties
  return {
    ...properties,
    ...Object.fromEntries(names.map((name) => [name, mergeValues(properties[name], envelope[name])])),
  }
}

const mergeValues = (inner: Json = null, outer: Json = null): Json => {
  if (isRecord(inner) && isRecord(outer)) return { ...inner, ...outer }
  if (Array.isArray(inner) && Array.isArray(outer)) return [...new Set([...inner, ...outer])]
  return inner === null || (typeof outer === 'object' && outer !== null) ? outer : inner
}
