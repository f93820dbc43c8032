import type { Json } from '../../../wire/json.ts'

/**
 * Which events match: a tree without negations, for no engine in particular. Only conditions on one property are negated.
 * A condition that cannot be decided for an event (see `Operator.test`) does not match it, whether negated or not; together
 * that gives the same matches as the filters of `evaluate/`, which stay undecided.
 *
 * It is plain data, so that it can be sent to another process.
 */
export type Condition =
  /** All must match; an empty list matches every event. */
  | { readonly kind: 'all'; readonly conditions: readonly Condition[] }
  /** One must match; an empty list matches no event. */
  | { readonly kind: 'any'; readonly conditions: readonly Condition[] }
  | PropertyCondition
  | CohortCondition
  /** Events with exactly this name. (The property filter `exact` ignores case.) */
  | { readonly kind: 'event_name'; readonly name: string }
  /** Events that have exactly this in a field. An id that is no UUID where one is stored is in none. */
  | { readonly kind: 'event_field'; readonly field: 'distinct_id' | 'person_id' | 'uuid'; readonly value: string }

/** A condition on one property of an event, or of its person or group as they are now. */
export interface PropertyCondition {
  readonly kind: 'property'
  /** Where the filter is in the input, for errors. */
  readonly path: string
  readonly source: PropertySource
  readonly name: string
  /** Name in the operator table. The operator supports `value`. */
  readonly operator: string
  readonly value: Json
  readonly isNegated: boolean
}

/**
 * The event's person is in a cohort, or is not. All conditions of a query that say the same about a cohort are one object, so
 * that a cohort that many others name costs no more than one that is named once.
 */
export interface CohortCondition {
  readonly kind: 'cohort'
  /** What the cohort says about the person, negated if the condition is. */
  readonly condition: Condition
  /** How many groups and cohorts are nested in it. */
  readonly depth: number
}

/** What a condition reads. */
export type PropertySource =
  /** The event's properties. */
  | { readonly of: 'event' }
  /** A field of the event beside its properties; `EVENT_FIELDS` are their names. */
  | { readonly of: 'event_metadata' }
  /** The properties of the event's person; `distinct_id` is the event's own unless the person has such a property. */
  | { readonly of: 'person' }
  /** The properties of the event's group of this type. An event without such a group does not match, even if negated. */
  | { readonly of: 'group'; readonly type: string }

/** Names of the fields that filters of type `event_metadata` can read. */
export const EVENT_FIELDS = ['event', 'distinct_id', 'person_id', 'timestamp', 'uuid'] as const

export type EventField = (typeof EVENT_FIELDS)[number]

/** Matches every event. */
export const MATCH_ALL: Condition = { kind: 'all', conditions: [] }

/** AND or OR of conditions; with a single condition, that one. */
export const combine = (kind: 'all' | 'any', conditions: readonly Condition[]): Condition =>
  conditions.length === 1 ? conditions[0]! : { kind, conditions }
