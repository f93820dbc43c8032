import type { Condition } from '../filter/condition.ts'
import type { Periods } from '../time/periods.ts'
import type { Actor, EventSelection } from './subject.ts'
import type { Breakdown, GroupValues } from './trend.ts'

/** How many of those who began with something in one period came back in later ones. */
export interface RetentionQuestion {
  /** The events that put an actor in a cohort. */
  readonly events: EventSelection
  readonly cohorts: CohortRule
  /** The events that are a return. */
  readonly returning: Condition
  /** How many of them an actor must have in a period; at least 1. */
  readonly minimumReturns: number
  /** Whether an actor who returns counts for all periods until its last return, instead of for those with a return. */
  readonly isCumulative: boolean
  readonly actor: Actor
  /** Each has a cohort. At most 126. */
  readonly periods: Periods
  /** By the events that put the actors in their cohorts: the first one of an actor in the period. Null for one group of all. */
  readonly breakdown: Breakdown | null
}

/** Which cohorts an actor is in. */
export type CohortRule =
  /** Those of all periods in which it has one of the events. */
  | { readonly of: 'every_period' }
  /** Only that of its first event of all times, among the events. */
  | { readonly of: 'first_time' }
  /** Only that of its first event of all times among others, if that is one of the events. */
  | { readonly of: 'first_among'; readonly among: Condition }

export interface RetentionAnswer {
  /** Those with the largest cohorts first, all periods together, then by value; the group of the others is the last one. */
  readonly groups: readonly RetentionGroup[]
}

export interface RetentionGroup {
  /** Empty without a breakdown; `others` for all values beyond the limit. */
  readonly values: GroupValues | 'others'
  /** The cohort of each period: its size, then how many of it returned in each later period. */
  readonly cohorts: readonly (readonly number[])[]
}
