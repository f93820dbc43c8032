import { isLongerThan } from '../codec/byte-limit.ts'
import { stringify } from '../lib/stringify.ts'
import { boundProperties, findLongId, keepMembers } from '../wire/bound-properties.ts'
import { MAX_EVENT_BYTES, MAX_EVENT_LEVELS, MAX_EVENT_NAME_CHARACTERS, MAX_ID_CHARACTERS } from '../wire/bounds.ts'
import { cutString } from '../wire/cut-string.ts'
import { isDeeperThan } from '../wire/is-deeper-than.ts'
import { isNonBlankString } from '../wire/is-non-blank-string.ts'
import { isRecord } from '../wire/json.ts'
import type { JsonObject } from '../wire/json.ts'
import { mayExceedBounds } from './may-exceed-bounds.ts'

/**
 * Cuts an event to the bounds of the service (`wire/bounds.ts`). Returns the same object if it is within them, which is nearly always so,
 * and the reason if the event must be dropped.
 */
const boundEvent = (event: JsonObject): JsonObject | 'invalid_event' | 'id_too_long' => {
  const { event: name, distinct_id: id, properties } = event
  // The `toJSON` of an object returns anything.
  if (!isNonBlankString(name) || !isNonBlankString(id) || !isRecord(properties)) return 'invalid_event'
  if (id.length > MAX_ID_CHARACTERS || findLongId(name, properties)) return 'id_too_long'
  const cutName = name.length > MAX_EVENT_NAME_CHARACTERS ? cutString(name, MAX_EVENT_NAME_CHARACTERS) : name
  if (!isNonBlankString(cutName)) return 'invalid_event'

  // `before_send` may put the changes of a person beside the properties.
  let bounded: JsonObject = boundProperties(event)
  let boundedProperties = boundProperties(properties)
  if (isDeeperThan(event, MAX_EVENT_LEVELS)) {
    bounded = withoutDeepMembers(bounded)
    boundedProperties = withoutDeepMembers(boundedProperties)
  }
  return bounded === event && boundedProperties === properties && cutName === name
    ? event
    : { ...bounded, event: cutName, properties: boundedProperties }
}

/**
 * Returns the JSON of an event within the bounds of the service, and the reason if it must be dropped. Returns the same JSON if it is within
 * them.
 *
 * @param mustParse False: the JSON has a valid name, distinct id and properties.
 */
export const boundJson = (json: string, mustParse?: boolean): string => {
  if (isLongerThan(json, MAX_EVENT_BYTES)) return 'too_large'
  if (!mustParse && !mayExceedBounds(json)) return json
  const event = JSON.parse(json) as JsonObject
  const bounded = boundEvent(event)
  return bounded === event ? json : typeof bounded === 'string' ? bounded : stringify(bounded)
}

/** An object of the event, or its properties, has two levels above a value. */
const withoutDeepMembers = (object: JsonObject): JsonObject =>
  keepMembers(object, (name) => !isDeeperThan(object[name]!, MAX_EVENT_LEVELS - 2))
