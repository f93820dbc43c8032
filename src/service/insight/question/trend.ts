import type { Condition } from '../filter/condition.ts'
import type { Periods } from '../time/periods.ts'
import type { Actor, EventSelection, PropertyReference } from './subject.ts'

/** How much there was of something in each period. */
export interface TrendQuestion {
  readonly events: EventSelection
  readonly measure: Measure
  readonly periods: Periods
  /** Whether one value for the whole range is asked, instead of one for each period. */
  readonly isTotal: boolean
  /** Null for one group of all events. */
  readonly breakdown: TrendBreakdown | null
}

/** Events in given groups; the others are one group together. */
export interface TrendBreakdown {
  readonly properties: readonly PropertyReference[]
  /** The values of each group; no two groups have the same. */
  readonly groups: readonly GroupValues[]
}

/** Which groups of a breakdown have the most events in one or more trends together. */
export interface TrendGroupsQuestion {
  readonly trends: readonly Omit<TrendQuestion, 'breakdown'>[]
  readonly breakdown: Breakdown
}

export interface TrendGroupsAnswer {
  /** Those with the most events first, then by value. */
  readonly groups: readonly GroupValues[]
}

/** What is measured. */
export type Measure =
  /** The number of events. */
  | { readonly kind: 'count' }
  /** The number of persons, groups or sessions that have an event. `isCumulative`: each counts only in its first period. */
  | { readonly kind: 'unique'; readonly actor: Actor; readonly isCumulative: boolean }
  /**
   * The number of persons or groups that have an event since a time before the end of the period.
   * `since`: that time for each period, or the only one for a total, in milliseconds since 1970; each is before the end, and none goes back.
   */
  | { readonly kind: 'active'; readonly actor: Actor; readonly since: readonly number[] }
  /**
   * The number of persons or groups whose first event of all times is in the period and is one of the selected events.
   * `among`: the events of which it is the first.
   */
  | { readonly kind: 'first_time'; readonly actor: Actor; readonly among: Condition }
  /** Of the values of a property that are numbers, or strings that contain one. */
  | { readonly kind: 'property'; readonly property: PropertyReference; readonly aggregate: Aggregate }
  /** Of the numbers of events that each person or group has. */
  | { readonly kind: 'events_per_actor'; readonly actor: Actor; readonly aggregate: Aggregate }

/** How many numbers become one. Percentiles are interpolated between the two nearest numbers. */
export const AGGREGATES = ['average', 'sum', 'min', 'max', 'median', 'p75', 'p90', 'p95', 'p99'] as const

export type Aggregate = (typeof AGGREGATES)[number]

/** A division of events by the values of properties. */
export interface Breakdown {
  readonly properties: readonly PropertyReference[]
  /** The groups with the most events have a series of their own; the others are one group together. */
  readonly limit: number
}

/** The values of the properties of a breakdown, as text; null for an event without the property. */
export type GroupValues = readonly (string | null)[]

export interface TrendAnswer {
  /** In the order of the question, without those in which there is nothing to measure; the group of the others is the last one. */
  readonly groups: readonly TrendGroup[]
}

export interface TrendGroup {
  /** Empty without a breakdown; `others` for all values beyond the limit. */
  readonly values: GroupValues | 'others'
  /** A number for each period, or a single one for all; 0 where there is nothing to measure. */
  readonly numbers: readonly number[]
}
