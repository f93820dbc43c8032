import { combine } from '../filter/condition.ts'
import type { FilterContext } from '../filter/filter-context.ts'
import { FilterError } from '../filter/filter-error.ts'
import { parseActor, parseQueryFilters, toSelection } from '../query/base.ts'
import { parseBreakdown } from '../query/breakdown.ts'
import { divide } from '../query/divide.ts'
import { labelPeriods } from '../query/period-labels.ts'
import { readRange } from '../query/range.ts'
import type { Ask } from '../question/questions.ts'
import type { FunnelsQuery } from '../schema/funnels-query.ts'
import { createPeriods } from '../time/periods.ts'
import type { FunnelResult } from './funnel-result.ts'
import { toFunnelResult } from './funnel-result.ts'
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
  const queryBreakdown = parseBreakdown(breakdownFilter, context)
  if (type === 'time_to_convert' && queryBreakdown.kind !== 'none')
    throw new FilterError('query.breakdownFilter', 'must be empty for the times of conversions (time_to_convert)')
  const actor = parseActor(query, context)
  const range = await readRange(dateRange, interval, context, ask)
  const periods = type === 'trends' ? createPeriods(range, interval, context.calendar, 'query.interval') : null
  const view = parseView(funnelsFilter, funnel.steps.length, periods ?? { starts: [] })
  const shape = { ...funnel, labels: periods && labelPeriods(periods, interval, context.calendar) }
  const results: FunnelResult[] = []
  for (const { condition, breakdown, isShown, valueOf } of divide(queryBreakdown)) {
    const { groups } = await ask('funnel', {
      events: toSelection(combine('all', [filters, condition]), context),
      actor,
      range,
      steps: funnel.steps.map((step) => step.condition),
      order: funnel.order,
      windowMs: funnel.windowMs,
      exclusions: funnel.exclusions,
      breakdown: breakdown && { ...breakdown, attribution: funnel.attribution },
      view,
    })
    for (const group of groups.filter(isShown)) results.push(toFunnelResult(group.numbers, valueOf(group), shape))
  }
  // The steps of one group, or its times, are not in a list of groups.
  return queryBreakdown.kind === 'none' && type !== 'trends' ? results[0] : results
}
