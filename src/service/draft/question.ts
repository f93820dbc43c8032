/** A question about a project's events, with the names that the project has. */
export interface Question {
  readonly measure: Measure
  /** Null for all events. */
  readonly event: string | null
  readonly period: Period | null
  /** The length of the periods that the result is divided into; null for one number. */
  readonly interval: Interval | null
  /** All of them must be true. */
  readonly filters: readonly Filter[]
  /** Null for no breakdown. */
  readonly breakdown: Property | null
  /** Number of values of the breakdown, those with the largest results; null for all. */
  readonly limit: number | null
}

export type Measure =
  | { readonly kind: 'events' }
  | { readonly kind: 'persons' }
  | { readonly kind: Statistic; readonly property: Property }

export type Statistic = 'sum' | 'average' | 'median' | 'maximum' | 'minimum'

/** A property of events or persons; `event` with the owner `column` is the name of the event. */
export interface Property {
  readonly name: string
  readonly owner: 'event' | 'person' | 'column'
}

export type Interval = 'minute' | 'hour' | 'day' | 'week' | 'month' | 'quarter' | 'year'

/** A time, such as the start of the month that is now, a quarter earlier. */
export interface TimePoint {
  /** Now, the start of the unit that is now, or that of a day (`2026-01-31`). Times are in UTC. */
  readonly at: 'now' | { readonly startOf: Interval } | { readonly day: string }
  /** Units later than that; a negative number means earlier. Default: none. */
  readonly moved?: { readonly count: number; readonly unit: Interval }
}

/** A range of time; a missing bound is open. */
export interface Period {
  /** Inclusive. */
  readonly from: TimePoint | null
  /** Exclusive. */
  readonly before: TimePoint | null
  /** As the question says it. */
  readonly words: string
}

export type FilterOperator =
  | 'is'
  | 'is_not'
  | 'contains'
  | 'contains_not'
  | 'starts_with'
  | 'ends_with'
  | 'at_least'
  | 'at_most'
  | 'more_than'
  | 'less_than'
  | 'set'
  | 'not_set'

export interface Filter {
  readonly property: Property
  readonly operator: FilterOperator
  /** Any of them is enough; none for `set` and `not_set`, one for other operators than `is` and `is_not`. */
  readonly values: readonly string[]
}

/** The names of a project, the most frequent first. */
export interface ProjectNames {
  readonly events: readonly string[]
  readonly eventProperties: readonly string[]
  readonly personProperties: readonly string[]
}

/** A name that differs from the words of the question. */
export interface Correction {
  readonly words: string
  readonly kind: 'event' | 'property'
  readonly name: string
}
