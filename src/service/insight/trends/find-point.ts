import { combine } from '../filter/condition.ts'
import type { FilterContext } from '../filter/filter-context.ts'
import { FilterError } from '../filter/filter-error.ts'
import { parseActor, parseQueryFilters, toSelection } from '../query/base.ts'
import { fromBreakdownValue, parseBreakdown } from '../query/breakdown.ts'
import { labelPeriods } from '../query/period-labels.ts'
import { parseSeries } from '../query/series.ts'
import type { PointGroup, TrendPoint } from '../question/actors.ts'
import type { Ask } from '../question/questions.ts'
import type { Breakdown, Measure, TrendQuestion } from '../question/trend.ts'
import type { TrendsQuery } from '../schema/trends-query.ts'
import { parseDateRange } from '../time/date-range.ts'
import type { Periods, TimeRange } from '../time/periods.ts'
import { readComparedRanges } from '../query/compared-ranges.ts'
import { createPeriods } from '../time/periods.ts'
import { TOTAL_DISPLAYS } from './answer-trends.ts'
import { parseMeasure } from './parse-measure.ts'

/** A point of the answer to a query of trends, as a query of its actors names it. */
export interface PointName {
  readonly day?: string | number | null
  readonly series?: number | null
  readonly breakdown?: string | number | readonly (string | number)[] | null
  readonly compare?: 'current' | 'previous' | null
}

/** Finds a point of the answer to a query of trends. Throws `FilterError`; rejects with `QueryError`. */
export const findTrendPoint = async (
  source: TrendsQuery,
  { day, series: order, breakdown: value, compare }: PointName,
  context: FilterContext,
  ask: Ask,
): Promise<TrendPoint> => {
  const node = source.series[order ?? 0]
  if (node === undefined)
    throw new FilterError('query.source.series', `must be less than ${source.series.length}, the number of series`)
  const filters = parseQueryFilters(source, context)
  const series = parseSeries(node, order ?? 0, filters, context)
  const ranges = await readComparedRanges(source, context, ask)
  const compared = ranges.find(({ label }) => (label ?? 'current') === (compare ?? 'current'))
  if (compared === undefined)
    throw new FilterError('query.source.compare', 'must be "current": the insight compares with nothing')
  const interval = source.interval ?? 'day'
  const periods = createPeriods(compared.range, interval, context.calendar, 'query.interval')
  const display = source.trendsFilter?.display ?? 'ActionsLineGraph'
  const isTotal = TOTAL_DISPLAYS.has(display)
  const isCumulative = display === 'ActionsLineGraphCumulative'
  const measure = parseMeasure(series, { actor: parseActor(source, context), periods, isTotal, isCumulative }, context)
  const period = day === undefined || day === null || isTotal ? null : findPeriod(day, periods, interval, context)
  const breakdown = parseBreakdown(source.breakdownFilter, context)
  const isDivided = value !== undefined && value !== null
  const cohort =
    isDivided && breakdown.kind === 'cohorts' ? breakdown.cohorts.find((each) => each.value === value) : undefined
  if (isDivided && breakdown.kind === 'cohorts' && cohort === undefined)
    throw new FilterError('query.source.breakdown', 'must be one of the cohorts of the insight')
  const events = toSelection(combine('all', [series.condition, ...(cohort ? [cohort.condition] : [])]), context)
  const question = { events, measure, periods, isTotal }
  return {
    kind: 'trend',
    events,
    range: findRange(measure, periods, period, isCumulative),
    actor: 'actor' in measure && measure.actor.of !== 'session' ? measure.actor : { of: 'person' },
    firstAmong: measure.kind === 'first_time' ? measure.among : null,
    group:
      isDivided && breakdown.kind === 'properties'
        ? await findGroup([value].flat(), { ...question, breakdown: breakdown.breakdown }, ask)
        : null,
  }
}

/** The index of a period, by its name in `days` or by any time in it. */
const findPeriod = (
  day: string | number,
  periods: Periods,
  interval: NonNullable<TrendsQuery['interval']>,
  context: FilterContext,
): number => {
  const index = labelPeriods(periods, interval, context.calendar).days.indexOf(String(day))
  if (index >= 0) return index
  const time = parseTime(day, context)
  if (time !== undefined && time >= periods.starts[0]! && time < periods.end)
    return periods.starts.findLastIndex((start) => start <= time)
  throw new FilterError('query.source.day', 'must be one of the "days" of the insight')
}

/** A day or time in milliseconds since 1970; undefined for anything else. */
const parseTime = (day: string | number, context: FilterContext): number | undefined => {
  try {
    return parseDateRange({ date_from: day }, '', context).from
  } catch (error) {
    if (error instanceof FilterError) return undefined
    throw error
  }
}

/** The range in which an actor has an event. A null period is the whole range. */
const findRange = (measure: Measure, periods: Periods, period: number | null, isCumulative: boolean): TimeRange => {
  const { range, starts, end } = periods
  const before = period === null ? range.before : Math.min(starts[period + 1] ?? end, range.before)
  if (measure.kind === 'active') return { from: measure.since[period ?? 0]!, before }
  return { from: period === null || isCumulative ? range.from : Math.max(starts[period]!, range.from), before }
}

const findGroup = async (
  value: readonly (string | number)[],
  question: TrendQuestion & { readonly breakdown: Breakdown },
  ask: Ask,
): Promise<PointGroup> => {
  const { properties } = question.breakdown
  const values = fromBreakdownValue(value.map(String))
  if (value.length !== properties.length)
    throw new FilterError('query.source.breakdown', `must have a value for each of ${properties.length} properties`)
  if (values !== 'others') return { properties, values: [values], isAmong: true }
  const { groups } = await ask('trend', question)
  const named = groups.flatMap((group) => (group.values === 'others' ? [] : [group.values]))
  return { properties, values: named, isAmong: false }
}
