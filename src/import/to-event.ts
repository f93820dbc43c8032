import { checkEvent } from '../wire/check-event.ts'
import { isIsoMoment, isoMoment } from '../wire/iso-moment.ts'
import { isRecord } from '../wire/json.ts'
import type { Json, JsonObject } from '../wire/json.ts'
import { MAX_BODY_BYTES } from '../wire/limits.ts'
import { parsed } from './cell-value.ts'
import type { Fault } from './reject.ts'

/** Bytes of JSON that one event may have: what a body can hold, less some room for what stands around it. */
const MOST_EVENT_BYTES: number = MAX_BODY_BYTES - 64 * 1024

const UUID = /^[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}$/i

/** The nil and the max uuid: exports fill them in where there is none, and all such rows would be stored as one event. */
const NO_UUID = /^[0-]+$|^[f-]+$/i

/**
 * The event that the fields of a row make, as JSON, or what is wrong with them: the service's own rules for a historical migration, so that
 * nothing is sent that the service would drop or refuse.
 *
 * @param makeUuid The uuid for one that has none, from the event's moment in milliseconds since 1970.
 */
export const toEvent = (fields: JsonObject, makeUuid: (moment: number) => string): string | Fault => {
  const properties = propertiesOf(fields)
  if (properties === null) {
    return { reason: 'invalid_properties', detail: '"properties" must be a JSON object.' }
  }
  const check = checkEvent({ ...fields, properties })
  if (check.kind === 'invalid') return { reason: 'invalid_event', detail: check.detail }
  if (check.kind === 'dropped') {
    const name = check.reason === 'no_event_name' ? '"event", the name,' : '"distinct_id"'
    return { reason: check.reason, detail: `${name} is missing or empty.` }
  }
  const { timestamp } = fields
  if (!isIsoMoment(timestamp)) return timestampFault(timestamp)

  const { event, distinctId } = check.event
  const time = timestamp.trim()
  const json = JSON.stringify({
    uuid: uuidOf(fields) ?? makeUuid(isoMoment(time) ?? 0),
    event,
    distinct_id: distinctId,
    timestamp: time,
    properties: { ...properties, distinct_id: distinctId },
    ...envelopeOf(fields),
  })
  return isTooLarge(json)
    ? {
        reason: 'too_large',
        detail: `The event has more than ${MOST_EVENT_BYTES} bytes of JSON, which no request can hold.`,
      }
    : json
}

/** Exports of databases have the properties as JSON in a text. */
const propertiesOf = (fields: JsonObject): JsonObject | null => {
  const { properties: given = null, elements_chain: chain } = fields
  const properties = given === null || given === '' ? {} : typeof given === 'string' ? parsed(given) : given
  if (!isRecord(properties)) return null
  return typeof chain === 'string' && chain !== '' ? { $elements_chain: chain, ...properties } : properties
}

const uuidOf = ({ uuid, messageId, message_id: messageIdToo }: JsonObject): string | undefined =>
  [uuid, messageId, messageIdToo].find(
    (id): id is string => typeof id === 'string' && UUID.test(id) && !NO_UUID.test(id),
  )

const envelopeOf = ({ $set, $set_once, $unset }: JsonObject): JsonObject => {
  const given = Object.entries({ $set, $set_once, $unset }).filter(([, value]) => value !== undefined && value !== null)
  return Object.fromEntries(given) as JsonObject
}

const isTooLarge = (json: string): boolean =>
  3 * json.length > MOST_EVENT_BYTES && Buffer.byteLength(json) > MOST_EVENT_BYTES

const timestampFault = (timestamp: Json | undefined): Fault => {
  if (timestamp === undefined || timestamp === null || timestamp === '') {
    return {
      reason: 'no_timestamp',
      detail: '"timestamp" is missing: every event of history must say when it happened.',
    }
  }
  const shown = JSON.stringify(timestamp).slice(0, 100)
  return {
    reason: 'invalid_timestamp',
    detail: `"timestamp" is ${shown}, which is no moment in ISO 8601, such as 2024-01-31T09:00:00Z.${guess(timestamp)}`,
  }
}

/** What a count of seconds or milliseconds since 1970 would be. */
const guess = (timestamp: Json): string => {
  const text = typeof timestamp === 'string' ? timestamp.trim() : JSON.stringify(timestamp)
  if (!/^\d{10}(\d{3})?$/.test(text)) return ''
  const isSeconds = text.length === 10
  const moment = new Date(Number(text) * (isSeconds ? 1000 : 1)).toISOString()
  return ` If it counts ${isSeconds ? 'seconds' : 'milliseconds'} since 1970, it is ${moment}.`
}
