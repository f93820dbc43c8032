import type { Condition } from '../filter/condition.ts'
import { MATCH_ALL } from '../filter/condition.ts'
import type { Breakdown, GroupValues } from '../question/trend.ts'
import type { QueryBreakdown } from './breakdown.ts'
import { labelGroup, toBreakdownValue } from './breakdown.ts'

/** The values of a group as clients read them; undefined without a breakdown. */
export type BreakdownValue = string | number | readonly string[] | undefined

/** A question that a query with a breakdown asks, and what the groups of its answer are for clients. */
export interface Division {
  /** The events that the question is about, of those of the query. */
  readonly condition: Condition
  /** Null for a question with one group. */
  readonly breakdown: Breakdown | null
  /** Whether a group is part of the answer to the query. */
  readonly isShown: (group: Group) => boolean
  readonly valueOf: (group: Group) => BreakdownValue
  /** Name of a group; null without a breakdown. */
  readonly labelOf: (group: Group) => string | null
}

interface Group {
  readonly values: GroupValues | 'others'
}

const always = (): boolean => true

/** The questions that a query asks: one for each cohort, else one. */
export const divide = (breakdown: QueryBreakdown): readonly Division[] => {
  if (breakdown.kind === 'none')
    return [{ condition: MATCH_ALL, breakdown: null, isShown: always, valueOf: () => undefined, labelOf: () => null }]
  if (breakdown.kind === 'cohorts')
    return breakdown.cohorts.map(({ value, condition }) => ({
      condition,
      breakdown: null,
      isShown: always,
      valueOf: () => value,
      labelOf: () => String(value),
    }))
  const { breakdown: divided, hasOthers } = breakdown
  return [
    {
      condition: MATCH_ALL,
      breakdown: divided,
      isShown: ({ values }) => hasOthers || values !== 'others',
      valueOf: ({ values }) => toBreakdownValue(values, divided.properties.length),
      labelOf: ({ values }) => labelGroup(values),
    },
  ]
}
