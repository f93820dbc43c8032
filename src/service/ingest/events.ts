import { checkEvent } from '../../wire/check-event.ts'
import { isRecord } from '../../wire/json.ts'
import type { Json, JsonObject } from '../../wire/json.ts'
import type { InboxRow } from '../store/inbox/inbox.ts'
import { bodyText, MOST_BODY_BYTES } from './body.ts'
import type { BodyForm } from './form.ts'
import { inProcessingOrder } from './processing-order.ts'
import { parseRequest } from './request.ts'
import { resolveTimestamp } from './timestamp.ts'

/** One event of an inbox row, ready to be indexed. */
export interface IngestedEvent {
  /** Its place in the request, dropped events counted: with the row's id it names the event for ever. */
  readonly index: number
  /** As sent, in lower case, as `uuid`, `messageId` or `message_id`; undefined when none or an ill-formed one was sent. */
  readonly uuid: string | undefined
  readonly event: string
  readonly distinctId: string
  /** When it happened, in milliseconds since 1970. */
  readonly timestamp: number
  /** True when its request was an import (`historical_migration`). */
  readonly isHistorical: boolean
  /** With `$set`, `$set_once` and `$unset` of the envelope, where browsers put them. */
  readonly properties: JsonObject
}

/**
 * The events in an inbox row, by the same code that accepted it; those that are dropped silently are left out. They come in
 * the order in which they are to be processed: as they happened (`inProcessingOrder`), those of a historical migration as
 * they stand. Pure, so a replay of a row gives the same events. Throws `Refusal` only for a row that was never acceptable
 * (a damaged file).
 */
export const readEvents = (row: InboxRow): IngestedEvent[] => {
  const form: BodyForm = JSON.parse(row.form)
  // The front held the configured limit when it accepted the row: a limit that was lowered since must lose nothing.
  const request = parseRequest(bodyText(row.body, form, MOST_BODY_BYTES), form)
  const events: IngestedEvent[] = []
  for (const [index, value] of request.events.entries()) {
    const check = checkEvent(value)
    if (check.kind !== 'event' || !isRecord(value)) continue
    const { event, distinctId, properties } = check.event
    events.push({
      index,
      // Clients that came from Segment's name it so; newer ones of theirs send the same id as the uuid.
      uuid: uuidOf(value['uuid']) ?? uuidOf(value['messageId']) ?? uuidOf(value['message_id']),
      event,
      distinctId,
      timestamp: resolveTimestamp({
        timestamp: value['timestamp'],
        offset: value['offset'],
        sentAt: request.sentAt ?? form.sentAt,
        receivedAt: row.receivedAt,
        isCorrected: !request.historicalMigration && properties['$ignore_sent_at'] !== true,
      }),
      isHistorical: request.historicalMigration,
      properties: withEnvelope(properties, value),
    })
  }
  return request.historicalMigration ? events : inProcessingOrder(events)
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

const uuidOf = (value: Json | undefined): string | undefined =>
  typeof value === 'string' && UUID.test(value) ? value.toLowerCase() : undefined

/** Where both the envelope and the properties have a part, they are one, and the envelope's values win. */
const withEnvelope = (properties: JsonObject, envelope: JsonObject): JsonObject => {
  const moved = ['$set', '$set_once', '$unset'].filter((key) => Object.hasOwn(envelope, key))
  if (moved.length === 0) return properties
  return { ...properties, ...Object.fromEntries(moved.map((key) => [key, joined(properties[key], envelope[key])])) }
}

const joined = (inner: Json = null, outer: Json = null): Json => {
  if (isRecord(inner) && isRecord(outer)) return { ...inner, ...outer }
  if (Array.isArray(inner) && Array.isArray(outer)) return [...new Set([...inner, ...outer])]
  return inner === null || (typeof outer === 'object' && outer !== null) ? outer : inner
}
