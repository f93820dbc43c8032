import { combine } from '../filter/condition.ts'
import type { FilterContext } from '../filter/filter-context.ts'
import { FilterError } from '../filter/filter-error.ts'
import { parseActor, parseQueryFilters, toSelection } from '../query/base.ts'
import { parseBreakdown } from '../query/breakdown.ts'
import type { QueryBreakdown } from '../query/breakdown.ts'
import { chooseBins } from '../query/choose-bins.ts'
import { divide } from '../query/divide.ts'
import { labelPeriods } from '../query/period-labels.ts'
import { readRange } from '../query/range.ts'
import type { Series } from '../query/series.ts'
import type { Attribution, FunnelQuestion } from '../question/funnel.ts'
import type { Ask } from '../question/questions.ts'
import type { EventSelection } from '../question/subject.ts'
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
  const type = query.funnelsFilter?.funnelVizType ?? 'steps'
  const parsedBreakdown = parseBreakdown(query.breakdownFilter, context)
  if (type === 'time_to_convert' && parsedBreakdown.kind !== 'none')
    throw new FilterError('query.breakdownFilter', 'must be empty for the times of conversions (time_to_convert)')
  const { question, events, steps, attribution } = await createFunnelQuestion(query, context, ask)
  const queryBreakdown = await chooseFunnelBins(parsedBreakdown, { ...question, events }, ask)
  const interval = query.interval ?? 'day'
  const periods = type === 'trends' ? createPeriods(question.range, interval, context.calendar, 'query.interval') : null
  const view = parseView(query.funnelsFilter, steps.length, periods ?? { starts: [] })
  const shape = { steps, order: question.order, labels: periods && labelPeriods(periods, interval, context.calendar) }
  const results: FunnelResult[] = []
  for (const { condition, breakdown, isShown, valueOf } of divide(queryBreakdown)) {
    const { groups } = await ask('funnel', {
      ...question,
      events: { ...events, condition: combine('all', [events.condition, condition]) },
      breakdown: breakdown && { ...breakdown, attribution },
      view,
    })
    for (const group of groups.filter(isShown)) results.push(toFunnelResult(group.numbers, valueOf(group), shape))
  }
  // The steps of one group, or its times, are not in a list of groups.
  return queryBreakdown.kind === 'none' && type !== 'trends' ? results[0] : results
}

/** Chooses the bins of a breakdown by the events that are steps. */
export const chooseFunnelBins = (
  breakdown: QueryBreakdown,
  { events, steps, range }: Pick<FunnelQuestion, 'events' | 'steps' | 'range'>,
  ask: Ask,
): Promise<QueryBreakdown> => {
  const condition = combine('all', [events.condition, combine('any', steps)])
  return chooseBins(breakdown, [{ events: { ...events, condition }, range }], ask)
}

/** What a query asks, before its events are divided. */
interface UndividedFunnel {
  readonly question: Omit<FunnelQuestion, 'events' | 'breakdown'>
  readonly events: EventSelection
  readonly steps: readonly Series[]
  readonly attribution: Attribution
}

/** Throws `FilterError`; rejects with `QueryError`. The view is that of steps. */
export const createFunnelQuestion = async (
  query: FunnelsQuery,
  context: FilterContext,
  ask: Ask,
): Promise<UndividedFunnel> => {
  const filters = parseQueryFilters(query, context)
  const { steps, attribution, ...rules } = parseFunnel(query, filters, context)
  const actor = parseActor(query, context)
  const interval = query.funnelsFilter?.funnelVizType === 'trends' ? (query.interval ?? 'day') : 'day'
  const range = await readRange(query.dateRange, interval, context, ask)
  const conditions = steps.map(({ condition }) => condition)
  return {
    question: { ...rules, actor, range, steps: conditions, view: { kind: 'steps' } },
    events: toSelection(filters, context),
    steps,
    attribution,
  }
}
