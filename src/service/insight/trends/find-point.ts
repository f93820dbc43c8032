import { MATCH_ALL } from '../filter/condition.ts'
import type { FilterContext } from '../filter/filter-context.ts'
import { FilterError } from '../filter/filter-error.ts'
import { parseQueryFilters } from '../query/base.ts'
import { fromBreakdownValue, parseBreakdown } from '../query/breakdown.ts'
import { findPeriod } from '../query/find-period.ts'
import { parseSeries } from '../query/series.ts'
import type { PointGroup, TrendPoint } from '../question/actors.ts'
import type { Ask } from '../question/questions.ts'
import type { Breakdown, Measure, TrendBreakdown } from '../question/trend.ts'
import type { InsightActorsQuery } from '../schema/actors-query.ts'
import type { TrendsQuery } from '../schema/trends-query.ts'
import type { Periods, TimeRange } from '../time/periods.ts'
import { chooseBins } from '../query/choose-bins.ts'
import { readComparedRange, readComparedRanges } from '../query/compared-ranges.ts'
import { chooseGroups } from './choose-groups.ts'
import { createSeriesQuestions, narrow, toSelectedRange } from './trend-questions.ts'

/** Finds a point of the answer to a query of trends. Throws `FilterError`; rejects with `QueryError`. */
export const findTrendPoint = async (
  source: TrendsQuery,
  { day, series: order, breakdown: value, compare }: InsightActorsQuery,
  context: FilterContext,
  ask: Ask,
): Promise<TrendPoint> => {
  const node = source.series[order ?? 0]
  if (node === undefined)
    throw new FilterError('query.source.series', `must be less than ${source.series.length}, the number of series`)
  const filters = parseQueryFilters(source, context)
  const allSeries = source.series.map((each, index) => parseSeries(each, index, filters, context))
  const range = await readComparedRange(source, compare, context, ask)
  const question = createSeriesQuestions(source, allSeries, range, context)[order ?? 0]!
  const { measure, periods, isTotal, isAddedUp } = question
  const hasPeriod = day !== undefined && day !== null && !isTotal
  const period = hasPeriod ? findPeriod(day, periods, source.interval ?? 'day', context) : null
  const all = (await readComparedRanges(source, context, ask)).flatMap((each) =>
    createSeriesQuestions(source, allSeries, each.range, context),
  )
  const parsedBreakdown = parseBreakdown(source.breakdownFilter, context)
  const breakdown = await chooseBins(parsedBreakdown, all.map(toSelectedRange), ask)
  const isDivided = value !== undefined && value !== null
  const cohort =
    isDivided && breakdown.kind === 'cohorts' ? breakdown.cohorts.find((each) => each.value === value) : undefined
  if (isDivided && breakdown.kind === 'cohorts' && cohort === undefined)
    throw new FilterError('query.source.breakdown', 'must be one of the cohorts of the insight')
  const chooseAll = async (): Promise<TrendBreakdown | null> => {
    const current = await readComparedRange(source, 'current', context, ask)
    return chooseGroups(breakdown, createSeriesQuestions(source, allSeries, current, context), ask)
  }
  return {
    kind: 'trend',
    events: narrow(question, cohort?.condition ?? MATCH_ALL).events,
    range: findRange(measure, periods, period, isAddedUp),
    actor: 'actor' in measure && measure.actor.of !== 'session' ? measure.actor : { of: 'person' },
    firstAmong: measure.kind === 'first_time' ? measure.among : null,
    group:
      isDivided && breakdown.kind === 'properties'
        ? await findGroup([value].flat(), breakdown.breakdown, chooseAll)
        : null,
  }
}

/** The range in which an actor has an event. A null period is the whole range. */
const findRange = (measure: Measure, periods: Periods, period: number | null, isAddedUp: boolean): TimeRange => {
  const { range, starts, end } = periods
  const before = period === null ? range.before : Math.min(starts[period + 1] ?? end, range.before)
  if (measure.kind === 'active') return { from: measure.since[period ?? 0]!, before }
  return { from: period === null || isAddedUp ? range.from : Math.max(starts[period]!, range.from), before }
}

/** @param chooseAll Chooses the groups that are not among the others. */
const findGroup = async (
  value: readonly (string | number)[],
  { properties }: Breakdown,
  chooseAll: () => Promise<TrendBreakdown | null>,
): Promise<PointGroup> => {
  const values = fromBreakdownValue(value.map(String))
  if (value.length !== properties.length)
    throw new FilterError('query.source.breakdown', `must have a value for each of ${properties.length} properties`)
  if (values !== 'others') return { properties, values: [values], isAmong: true }
  return { properties, values: (await chooseAll())?.groups ?? [], isAmong: false }
}
