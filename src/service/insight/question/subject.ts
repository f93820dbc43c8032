import type { Condition, PropertySource } from '../filter/condition.ts'
import type { MatchContext } from '../filter/match-context.ts'

/** The events that a question is about. */
export interface EventSelection {
  readonly condition: Condition
  /** What the operators of conditions need besides their values. */
  readonly matching: MatchContext
  /** Path of the query in the input, for errors. */
  readonly path: string
}

/** Who is counted: the event's person, its group of one type, or its session. An event without one is not counted. */
export type Actor =
  | { readonly of: 'person' }
  | { readonly of: 'group'; readonly type: string }
  | { readonly of: 'session' }

/** A property of an event, or of its person or group as they are now. */
export interface PropertyReference {
  readonly source: PropertySource
  readonly name: string
  /** What its values become; missing for the values themselves. */
  readonly rule?: ValueRule
}

/** What the values of a property become, so that many of them are the same. */
export type ValueRule =
  /** Numbers, and strings that contain one, become the name of their bin (`nameBins`); other values are missing. Without bounds all are. */
  | { readonly kind: 'bin'; readonly bounds: readonly number[] }
  /** Strings lose all `/`, `?` and `#` at their end; one of nothing else is `/`. */
  | { readonly kind: 'url' }
