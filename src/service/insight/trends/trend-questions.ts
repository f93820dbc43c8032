import { combine } from '../filter/condition.ts'
import type { Condition } from '../filter/condition.ts'
import type { FilterContext } from '../filter/filter-context.ts'
import { parseActor, toSelection } from '../query/base.ts'
import type { Series } from '../query/series.ts'
import type { NumberRangeQuestion } from '../question/number-range.ts'
import { spanOf } from '../question/span-of.ts'
import type { Measure, TrendQuestion } from '../question/trend.ts'
import type { TrendsQuery } from '../schema/trends-query.ts'
import type { TimeRange } from '../time/periods.ts'
import { createPeriods } from '../time/periods.ts'
import { parseMeasure } from './parse-measure.ts'

/** Displays of one number for the whole range. */
const TOTAL_DISPLAYS: ReadonlySet<string> = new Set([
  'ActionsBarValue',
  'ActionsPie',
  'ActionsTable',
  'BoldNumber',
  'WorldMap',
])

/** What a series asks, before its events are divided. */
export interface SeriesQuestion extends Omit<TrendQuestion, 'breakdown'> {
  readonly series: Series
  /** Whether each number is the sum of all up to it. */
  readonly isAddedUp: boolean
}

/** What the series of a query ask in a range. Throws `FilterError`. */
export const createSeriesQuestions = (
  query: TrendsQuery,
  series: readonly Series[],
  range: TimeRange,
  context: FilterContext,
): readonly SeriesQuestion[] => {
  const display = query.trendsFilter?.display ?? 'ActionsLineGraph'
  const isTotal = TOTAL_DISPLAYS.has(display)
  const isCumulative = display === 'ActionsLineGraphCumulative'
  const periods = createPeriods(range, query.interval ?? 'day', context.calendar, 'query.interval')
  const actor = parseActor(query, context)
  return series.map((each) => {
    const measure = parseMeasure(each, { actor, periods, isTotal, isCumulative }, context)
    const events = toSelection(each.condition, context)
    return { series: each, events, measure, periods, isTotal, isAddedUp: isCumulative && canAddUp(measure) }
  })
}

/** The events that a series is about. Those who are active may have theirs before the first period. */
export const toSelectedRange = (question: SeriesQuestion): NumberRangeQuestion['selections'][number] => {
  const { events, measure, periods } = question
  return {
    events,
    range: measure.kind === 'active' ? spanOf('trend', { ...question, breakdown: null }) : periods.range,
  }
}

/** The same for the events that match a further condition. */
export const narrow = (
  { events, measure, periods, isTotal }: SeriesQuestion,
  condition: Condition,
): Omit<TrendQuestion, 'breakdown'> => ({
  events: { ...events, condition: combine('all', [events.condition, condition]) },
  measure,
  periods,
  isTotal,
})

/**
 * Whether the numbers of two periods together are their sum. Those of different actors are, because each of them then counts once
 * (`isCumulative`). Averages and percentiles are not, nor is who was active in windows that overlap.
 */
const canAddUp = (measure: Measure): boolean => {
  if (measure.kind === 'property') return measure.aggregate === 'sum'
  return measure.kind !== 'events_per_actor' && measure.kind !== 'active'
}
