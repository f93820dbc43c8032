import { boundProperties, findLongId, PROPERTY_OWNERS } from './bound-properties.ts'
import { MAX_EVENT_LEVELS, MAX_EVENT_NAME_CHARACTERS, MAX_ID_CHARACTERS } from './bounds.ts'
import { cutString } from './cut-string.ts'
import { isDeeperThan } from './is-deeper-than.ts'
import { isRecord } from './json.ts'
import type { Json, JsonObject } from './json.ts'
import { mergeEnvelope } from './merge-envelope.ts'
import { toStoredId } from './stored-id.ts'

/** The fields that every stored event has, within their bounds (`bounds.ts`). */
export interface CheckedEvent {
  readonly event: string
  readonly distinctId: string
  /** Includes `$set`, `$set_once` and `$unset` of the event object itself, where browsers put them. */
  readonly properties: JsonObject
  /** What the bounds took from the event; null for nothing. */
  readonly cuts: EventCuts | null
}

/** Numbers of what the bounds took from events. */
export interface EventCuts {
  /** Event names that were cut. */
  readonly eventNames: number
  /** Properties that were left out because of their names. */
  readonly properties: number
  /** Entries of `$groups` that were left out. */
  readonly groups: number
}

/**
 * `dropped`: the name or the distinct id is missing or empty. The service responds 200 and does not store the event.
 * `refused`: an id is longer than its bound; `attr` is its name.
 * `invalid`: a field has the wrong type; `attr` is its name.
 */
export type EventCheck =
  | { readonly kind: 'event'; readonly event: CheckedEvent }
  | { readonly kind: 'dropped'; readonly reason: 'no_event_name' | 'no_distinct_id' }
  | { readonly kind: 'refused'; readonly reason: 'id_too_long'; readonly attr: string }
  | { readonly kind: 'invalid'; readonly attr: string | null; readonly detail: string }

/** Checks whether a value from a request is an event that will be stored. */
export const checkEvent = (value: Json): EventCheck => {
  if (!isRecord(value)) return { kind: 'invalid', attr: null, detail: 'An event must be an object.' }
  const { event, properties = {} } = value
  if (properties !== null && !isRecord(properties)) {
    return { kind: 'invalid', attr: 'properties', detail: '"properties" must be an object.' }
  }
  if (isDeeperThan(value, MAX_EVENT_LEVELS)) {
    return {
      kind: 'invalid',
      attr: 'properties',
      detail: `An event must not nest deeper than ${MAX_EVENT_LEVELS} levels.`,
    }
  }
  if (event !== undefined && event !== null && typeof event !== 'string') {
    return { kind: 'invalid', attr: 'event', detail: '"event" must be a string.' }
  }
  const wholeName = toStoredId(event)
  const isNameCut = wholeName !== null && wholeName.length > MAX_EVENT_NAME_CHARACTERS
  // A name that is cut may be blank.
  const name = isNameCut ? toStoredId(cutString(wholeName, MAX_EVENT_NAME_CHARACTERS)) : wholeName
  if (name === null) return { kind: 'dropped', reason: 'no_event_name' }

  // Rust clients send it as `$distinct_id`.
  const rawId = value['distinct_id'] ?? value['$distinct_id'] ?? properties?.['distinct_id']
  if (rawId !== undefined && rawId !== null && typeof rawId !== 'string' && typeof rawId !== 'number') {
    return { kind: 'invalid', attr: 'distinct_id', detail: '"distinct_id" must be a string.' }
  }
  const distinctId = toStoredId(rawId)
  if (distinctId === null) return { kind: 'dropped', reason: 'no_distinct_id' }
  if (distinctId.length > MAX_ID_CHARACTERS) return { kind: 'refused', reason: 'id_too_long', attr: 'distinct_id' }
  const merged = mergeEnvelope(properties ?? {}, value)
  const longId = findLongId(name, merged)
  if (longId !== undefined) return { kind: 'refused', reason: 'id_too_long', attr: longId }
  const bounded = boundProperties(merged)
  const cuts = isNameCut || bounded !== merged ? countCuts(isNameCut, merged, bounded) : null
  return {
    kind: 'event',
    event: {
      event: name,
      distinctId,
      properties: bounded,
      cuts,
    },
  }
}

const countCuts = (isNameCut: boolean, before: JsonObject, after: JsonObject): EventCuts => ({
  eventNames: Number(isNameCut),
  properties:
    countMissing(before, after) +
    PROPERTY_OWNERS.reduce((sum, owner) => sum + countMissing(before[owner], after[owner]), 0),
  groups: countMissing(before['$groups'], after['$groups']),
})

const countMissing = (before: Json | undefined, after: Json | undefined): number =>
  isRecord(before) && isRecord(after) ? Object.keys(before).length - Object.keys(after).length : 0
