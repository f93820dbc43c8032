import { isDeeperThan } from './is-deeper-than.ts'
import { isRecord } from './json.ts'
import type { Json, JsonObject } from './json.ts'
import { toStoredId } from './stored-id.ts'

/** The fields that every stored event has. */
export interface CheckedEvent {
  readonly event: string
  readonly distinctId: string
  readonly properties: JsonObject
}

/**
 * `dropped`: the name or the distinct id is missing or empty. The service responds 200 and does not store the event.
 * `invalid`: a field has the wrong type; `attr` is its name.
 */
export type EventCheck =
  | { readonly kind: 'event'; readonly event: CheckedEvent }
  | { readonly kind: 'dropped'; readonly reason: 'no_event_name' | 'no_distinct_id' }
  | { readonly kind: 'invalid'; readonly attr: string | null; readonly detail: string }

/**
 * Maximum levels of objects and arrays in an event, including the event itself. Functions that write JSON call themselves per level. They
 * overflow the stack at depths that JSON parsers accept.
 */
const MAX_LEVELS = 200

/** Checks whether a value from a request is an event that will be stored. */
export const checkEvent = (value: Json): EventCheck => {
  if (!isRecord(value)) return { kind: 'invalid', attr: null, detail: 'An event must be an object.' }
  const { event, properties = {} } = value
  if (properties !== null && !isRecord(properties)) {
    return { kind: 'invalid', attr: 'properties', detail: '"properties" must be an object.' }
  }
  if (isDeeperThan(value, MAX_LEVELS)) {
    return { kind: 'invalid', attr: 'properties', detail: `An event must not nest deeper than ${MAX_LEVELS} levels.` }
  }
  if (event !== undefined && event !== null && typeof event !== 'string') {
    return { kind: 'invalid', attr: 'event', detail: '"event" must be a string.' }
  }
  const name = toStoredId(event)
  if (name === null) return { kind: 'dropped', reason: 'no_event_name' }

  // Rust clients send it as `$distinct_id`.
  const rawId = value['distinct_id'] ?? value['$distinct_id'] ?? properties?.['distinct_id']
  if (rawId !== undefined && rawId !== null && typeof rawId !== 'string' && typeof rawId !== 'number') {
    return { kind: 'invalid', attr: 'distinct_id', detail: '"distinct_id" must be a string.' }
  }
  const distinctId = toStoredId(rawId)
  if (distinctId === null) return { kind: 'dropped', reason: 'no_distinct_id' }
  return {
    kind: 'event',
    event: { event: name, distinctId, properties: properties ?? {} },
  }
}
