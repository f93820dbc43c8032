import {
  MAX_EVENT_BYTES,
  MAX_EVENT_NAME_CHARACTERS,
  MAX_GROUP_KEY_CHARACTERS,
  MAX_ID_CHARACTERS,
  MAX_PROPERTY_NAME_CHARACTERS,
} from '../../wire/bounds.ts'
import { checkEvent } from '../../wire/check-event.ts'
import type { EventCheck, EventCuts } from '../../wire/check-event.ts'
import { isRecord } from '../../wire/json.ts'
import type { Json } from '../../wire/json.ts'
import type { DropReason } from './event-losses.ts'

/** Whether an event of a request is stored, and with what. */
export type EventInspection =
  | { readonly kind: 'stored'; readonly cuts: EventCuts | null }
  /** `attr` is the field at fault, or null. `detail` names fields and lengths, never values. */
  | {
      readonly kind: 'dropped'
      readonly reason: DropReason
      readonly attr: string | null
      readonly detail: () => string
    }

/** @param isLarge Whether the event is larger than `MAX_EVENT_BYTES`. */
export const inspectEvent = (event: Json, isLarge: boolean): EventInspection => {
  if (isLarge) return drop('too_large', null, () => `An event has more than ${MAX_EVENT_BYTES} bytes of JSON.`)
  const check: EventCheck = checkEvent(event)
  switch (check.kind) {
    case 'event':
      return { kind: 'stored', cuts: check.event.cuts }
    case 'invalid':
      return drop('malformed', check.attr, () => check.detail)
    case 'refused':
      return drop(check.reason, check.attr, () => describeLongId(event, check.attr))
    default: {
      const attr = check.reason === 'no_event_name' ? 'event' : 'distinct_id'
      return drop(check.reason, attr, () => `An event has no usable "${attr}". Its fields: ${listFields(event)}.`)
    }
  }
}

/** Describes what the bounds took from an event. */
export const describeCuts = ({ eventNames, properties }: EventCuts): string => {
  if (eventNames > 0) return `The name of an event has more than ${MAX_EVENT_NAME_CHARACTERS} characters.`
  return properties > 0
    ? `The name of a property has more than ${MAX_PROPERTY_NAME_CHARACTERS} characters.`
    : `An entry of "$groups" has more than ${MAX_GROUP_KEY_CHARACTERS} characters.`
}

const drop = (reason: DropReason, attr: string | null, detail: () => string): EventInspection => ({
  kind: 'dropped',
  reason,
  attr,
  detail,
})

/** The field is in the event or in its properties. */
const describeLongId = (event: Json, attr: string): string => {
  const { properties, ...fields } = isRecord(event) ? event : {}
  const inner = isRecord(properties) ? properties : {}
  const id = attr === 'distinct_id' ? (fields[attr] ?? fields['$distinct_id'] ?? inner[attr]) : inner[attr]
  const max = attr.startsWith('$group_') ? MAX_GROUP_KEY_CHARACTERS : MAX_ID_CHARACTERS
  return `"${attr}" of an event must have at most ${max} characters, but it has ${typeof id === 'string' ? id.length : 0}.`
}

/** Fields that a description lists, and the characters of each name. */
const MAX_LISTED_FIELDS = 10
const MAX_LISTED_CHARACTERS = 40

const listFields = (event: Json): string => {
  const fields = Object.entries(isRecord(event) ? event : {})
  const listed = fields.slice(0, MAX_LISTED_FIELDS).map(([name, value]) => {
    const length = typeof value === 'string' ? ` (${value.length} characters)` : ''
    return JSON.stringify(name.slice(0, MAX_LISTED_CHARACTERS)) + length
  })
  const more = fields.length > MAX_LISTED_FIELDS ? ` and ${fields.length - MAX_LISTED_FIELDS} more` : ''
  return fields.length === 0 ? 'none' : listed.join(', ') + more
}
