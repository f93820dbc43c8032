import type { Condition } from '../filter/condition.ts'
import { combine, MATCH_ALL } from '../filter/condition.ts'
import type { FilterContext } from '../filter/filter-context.ts'
import { FilterError } from '../filter/filter-error.ts'
import { parseActor, parseQueryFilters, toSelection } from '../query/base.ts'
import type { QueryBreakdown } from '../query/breakdown.ts'
import { parseBreakdown, toBreakdownValue } from '../query/breakdown.ts'
import { labelPeriods } from '../query/period-labels.ts'
import { readRange } from '../query/range.ts'
import type { FunnelBreakdown, FunnelGroup } from '../question/funnel.ts'
import type { Ask } from '../question/questions.ts'
import type { FunnelsQuery } from '../schema/funnels-query.ts'
import { createPeriods } from '../time/periods.ts'
import type { BreakdownValue, FunnelResult } from './funnel-result.ts'
import { toFunnelResult } from './funnel-result.ts'
import type { ParsedFunnel } from './parse-funnel.ts'
import { parseFunnel, parseView } from './parse-funnel.ts'

/**
 * Answers a query of a funnel: a list of its steps, the times of conversions, or a list of trends. With a breakdown there is a list
 * of steps, or a trend, for each group. Throws `FilterError`; rejects with `QueryError`.
 */
export const answerFunnels = async (query: FunnelsQuery, context: FilterContext, ask: Ask): Promise<unknown> => {
  const { dateRange, breakdownFilter, funnelsFilter } = query
  const type = funnelsFilter?.funnelVizType ?? 'steps'
  const interval = type === 'trends' ? (query.interval ?? 'day') : 'day'
  const filters = parseQueryFilters(query, context)
  const funnel = parseFunnel(query, context)
  const breakdown = parseBreakdown(breakdownFilter, context)
  if (type === 'time_to_convert' && breakdown.kind !== 'none')
    throw new FilterError('query.breakdownFilter', 'must be empty for the times of conversions (time_to_convert)')
  const actor = parseActor(query, context)
  const range = await readRange(dateRange, interval, context, ask)
  const periods = type === 'trends' ? createPeriods(range, interval, context.calendar, 'query.interval') : null
  const view = parseView(funnelsFilter, funnel.steps.length, periods ?? { starts: [] })
  const shape = { ...funnel, labels: periods && labelPeriods(periods, interval, context.calendar) }
  const results: FunnelResult[] = []
  for (const { condition, divided, isShown, valueOf } of divide(breakdown, funnel)) {
    const { groups } = await ask('funnel', {
      events: toSelection(combine('all', [filters, condition]), context),
      actor,
      range,
      steps: funnel.steps.map((step) => step.condition),
      order: funnel.order,
      windowMs: funnel.windowMs,
      exclusions: funnel.exclusions,
      breakdown: divided,
      view,
    })
    for (const group of groups.filter(isShown)) results.push(toFunnelResult(group.numbers, valueOf(group), shape))
  }
  // The steps of one group, or its times, are not in a list of groups.
  return breakdown.kind === 'none' && type !== 'trends' ? results[0] : results
}

/** A question of a funnel. */
interface Division {
  readonly condition: Condition
  readonly divided: FunnelBreakdown | null
  /** Whether a group is part of the answer. */
  readonly isShown: (group: FunnelGroup) => boolean
  readonly valueOf: (group: FunnelGroup) => BreakdownValue
}

const divide = (breakdown: QueryBreakdown, { attribution }: ParsedFunnel): readonly Division[] => {
  const isShown = (): boolean => true
  if (breakdown.kind === 'none') return [{ condition: MATCH_ALL, divided: null, isShown, valueOf: () => undefined }]
  if (breakdown.kind === 'cohorts')
    return breakdown.cohorts.map(({ value, condition }) => ({
      condition,
      divided: null,
      isShown,
      valueOf: () => value,
    }))
  const { breakdown: divided, hasOthers } = breakdown
  const { length } = divided.properties
  return [
    {
      condition: MATCH_ALL,
      divided: { ...divided, attribution },
      isShown: ({ values }) => values !== 'others' || hasOthers,
      valueOf: ({ values }) => toBreakdownValue(values, length),
    },
  ]
}
