import { isUuid } from '../codec/uuid.ts'
import { MAX_EVENT_BYTES, MAX_ID_CHARACTERS } from '../wire/bounds.ts'
import { checkEvent } from '../wire/check-event.ts'
import { isNonEmptyString } from '../wire/is-non-empty-string.ts'
import { isStorableIsoTime, parseIsoTime } from '../wire/parse-iso-time.ts'
import { isRecord } from '../wire/json.ts'
import type { Json, JsonObject } from '../wire/json.ts'
import { parseJson } from '../wire/parse-json.ts'
import type { Fault } from './reject.ts'

/** The nil and the max uuid. Exports use them for a missing uuid, and all such rows would be stored as one event. */
const PLACEHOLDER_UUID = /^[0-]+$|^[f-]+$/i

/**
 * Converts the fields of a row to the JSON of an event, or returns what is wrong with them. The rules are those of the service for a
 * historical migration, so that nothing is sent that the service would drop or refuse.
 *
 * @param createUuid Creates the uuid of an event that has none, from its time in milliseconds since 1970.
 */
export const toEventJson = (fields: JsonObject, createUuid: (timestampMs: number) => string): string | Fault => {
  const properties = readProperties(fields)
  if (properties === null) {
    return { reason: 'invalid_properties', detail: '"properties" must be a JSON object.' }
  }
  const check = checkEvent({ ...fields, properties })
  if (check.kind === 'invalid') return { reason: 'invalid_event', detail: check.detail }
  if (check.kind === 'dropped') {
    const field = check.reason === 'no_event_name' ? '"event", the name of the event,' : '"distinct_id"'
    return { reason: check.reason, detail: `${field} is missing or empty.` }
  }
  if (check.kind === 'refused')
    return { reason: check.reason, detail: `"${check.attr}" has more than ${MAX_ID_CHARACTERS} characters.` }
  const { timestamp } = fields
  if (!isStorableIsoTime(timestamp)) return timestampFault(timestamp)

  const { event, distinctId } = check.event
  const time = timestamp.trim()
  const json = JSON.stringify({
    uuid: readUuid(fields) ?? createUuid(parseIsoTime(time)!),
    event,
    distinct_id: distinctId,
    timestamp: time,
    properties: { ...properties, distinct_id: distinctId },
    ...readPersonChanges(fields),
  })
  return isTooLarge(json)
    ? {
        reason: 'too_large',
        detail: `The event has more than ${MAX_EVENT_BYTES} bytes of JSON.`,
      }
    : json
}

/** Database exports contain `properties` as a JSON string. PostHog's exports have the clicked element in a field of its own. */
const readProperties = (fields: JsonObject): JsonObject | null => {
  const { properties: value = null, elements_chain: chain } = fields
  const properties = value === null || value === '' ? {} : typeof value === 'string' ? parseJson(value) : value
  if (!isRecord(properties)) return null
  return isNonEmptyString(chain) ? { $elements_chain: chain, ...properties } : properties
}

/** Returns the first usable uuid. Clients that descend from Segment's name it `messageId` or `message_id`. */
const readUuid = ({ uuid, messageId, message_id: snakeCaseId }: JsonObject): string | undefined =>
  [uuid, messageId, snakeCaseId].find(
    (id): id is string => typeof id === 'string' && isUuid(id) && !PLACEHOLDER_UUID.test(id),
  )

const readPersonChanges = ({ $set, $set_once, $unset }: JsonObject): JsonObject => {
  const changes = Object.entries({ $set, $set_once, $unset }).filter(
    ([, value]) => value !== undefined && value !== null,
  )
  return Object.fromEntries(changes) as JsonObject
}

/** A UTF-16 code unit has at most 3 bytes in UTF-8, so that most events need not be measured. */
const isTooLarge = (json: string): boolean =>
  3 * json.length > MAX_EVENT_BYTES && Buffer.byteLength(json) > MAX_EVENT_BYTES

const timestampFault = (timestamp: Json | undefined): Fault => {
  if (timestamp === undefined || timestamp === null || timestamp === '') {
    return {
      reason: 'no_timestamp',
      detail: '"timestamp" is missing; imports need an ISO 8601 time.',
    }
  }
  const quoted = JSON.stringify(timestamp).slice(0, 100)
  return {
    reason: 'invalid_timestamp',
    detail:
      `"timestamp" is ${quoted}, which is not an ISO 8601 time in the years 1 to 9999, such as 2024-01-31T09:00:00Z.` +
      suggestTime(timestamp),
  }
}

/** Suggests the time of a timestamp that looks like seconds or milliseconds since 1970. */
const suggestTime = (timestamp: Json): string => {
  const digits = typeof timestamp === 'string' ? timestamp.trim() : JSON.stringify(timestamp)
  if (!/^\d{10}(\d{3})?$/.test(digits)) return ''
  const isSeconds = digits.length === 10
  const time = new Date(Number(digits) * (isSeconds ? 1000 : 1)).toISOString()
  return ` If it is a number of ${isSeconds ? 'seconds' : 'milliseconds'} since 1970, it means ${time}.`
}
