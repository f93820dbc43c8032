import { idOf } from './id.ts'
import { isDeeperThan } from './is-deeper-than.ts'
import { isRecord } from './json.ts'
import type { Json, JsonObject } from './json.ts'

/** What every stored event must have. */
export interface CheckedEvent {
  readonly event: string
  readonly distinctId: string
  readonly properties: JsonObject
}

/**
 * `dropped`: the three cases that the protocol answers with 200 and does not store (no name, no distinct id, an empty one).
 * `invalid`: a field of the wrong type; `attr` names it.
 */
export type EventCheck =
  | { readonly kind: 'event'; readonly event: CheckedEvent }
  | { readonly kind: 'dropped'; readonly reason: 'no_event_name' | 'no_distinct_id' }
  | { readonly kind: 'invalid'; readonly attr: string | null; readonly detail: string }

/** Levels of objects and arrays in an event, itself counted. Writers of JSON recurse, and none survives any depth that a reader does. */
const MOST_LEVELS = 200

/** Decides whether a value from a request is an event that will be stored. */
export const checkEvent = (value: Json): EventCheck => {
  if (!isRecord(value)) return { kind: 'invalid', attr: null, detail: 'An event must be an object.' }
  const { event, properties = {} } = value
  if (properties !== null && !isRecord(properties)) {
    return { kind: 'invalid', attr: 'properties', detail: '"properties" must be an object.' }
  }
  if (isDeeperThan(value, MOST_LEVELS)) {
    return { kind: 'invalid', attr: 'properties', detail: `An event must not nest deeper than ${MOST_LEVELS} levels.` }
  }
  if (event !== undefined && event !== null && typeof event !== 'string') {
    return { kind: 'invalid', attr: 'event', detail: '"event" must be a string.' }
  }
  const name = idOf(event)
  if (name === null) return { kind: 'dropped', reason: 'no_event_name' }

  // Rust clients put a dollar before it.
  const given = value['distinct_id'] ?? value['$distinct_id'] ?? properties?.['distinct_id']
  if (given !== undefined && given !== null && typeof given !== 'string' && typeof given !== 'number') {
    return { kind: 'invalid', attr: 'distinct_id', detail: '"distinct_id" must be a string.' }
  }
  const distinctId = idOf(given)
  if (distinctId === null) return { kind: 'dropped', reason: 'no_distinct_id' }
  return {
    kind: 'event',
    event: { event: name, distinctId, properties: properties ?? {} },
  }
}
