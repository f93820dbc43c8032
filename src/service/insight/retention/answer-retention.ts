import type { Condition } from '../filter/condition.ts'
import { combine } from '../filter/condition.ts'
import type { FilterContext } from '../filter/filter-context.ts'
import { parseActor, parseQueryFilters, toSelection } from '../query/base.ts'
import { parseBreakdown } from '../query/breakdown.ts'
import { chooseBins } from '../query/choose-bins.ts'
import type { BreakdownValue } from '../query/divide.ts'
import { divide } from '../query/divide.ts'
import type { Series } from '../query/series.ts'
import { parseSeries } from '../query/series.ts'
import type { Ask } from '../question/questions.ts'
import type { CohortRule, RetentionQuestion } from '../question/retention.ts'
import type { RetentionQuery } from '../schema/retention-query.ts'
import type { Calendar, Interval } from '../time/calendar.ts'
import { toLocalTime } from '../time/calendar.ts'
import { readLastPeriods } from './read-last-periods.ts'

type RetentionFilter = RetentionQuery['retentionFilter']
type Period = NonNullable<RetentionFilter['period']>

/** One cohort of the answer to a query of retention, as clients of the protocol read it. */
export interface RetentionResult {
  /** The start of the cohort's period, in ISO 8601. */
  readonly date: string
  /** `Day 0` for the first cohort. */
  readonly label: string
  /** The size of the cohort, then how many of it returned in each later period. */
  readonly values: readonly { readonly count: number; readonly label: string }[]
  readonly breakdown_value?: BreakdownValue
}

const INTERVALS: Readonly<Record<Period, Interval>> = { Hour: 'hour', Day: 'day', Week: 'week', Month: 'month' }

const DEFAULT_COUNT = 11
const DEFAULT_ENTITY = { id: '$pageview' }

/** Answers a query of retention. Throws `FilterError`; rejects with `QueryError`. */
export const answerRetention = async (
  query: RetentionQuery,
  context: FilterContext,
  ask: Ask,
): Promise<readonly RetentionResult[]> => {
  const period = query.retentionFilter.period ?? 'Day'
  const question = createRetentionQuestion(query, context)
  const { events } = question
  const dates = question.periods.starts.map((start) => toDate(start, context.calendar))
  const results: RetentionResult[] = []
  const parsedBreakdown = parseBreakdown(query.breakdownFilter, context)
  const queryBreakdown = await chooseBins(parsedBreakdown, [{ events, range: question.periods.range }], ask)
  for (const { condition, breakdown, isShown, valueOf } of divide(queryBreakdown)) {
    const { groups } = await ask('retention', {
      ...question,
      events: { ...events, condition: combine('all', [events.condition, condition]) },
      breakdown,
    })
    for (const group of groups.filter(isShown)) {
      const value = valueOf(group)
      for (const [index, numbers] of group.cohorts.entries())
        results.push({
          date: dates[index]!,
          label: `${period} ${index}`,
          values: numbers.map((count, after) => ({ count, label: `${period} ${after}` })),
          ...(value !== undefined && { breakdown_value: value }),
        })
    }
  }
  return results
}

/** What a query asks, before events are divided. Throws `FilterError`. */
export const createRetentionQuestion = (
  query: RetentionQuery,
  context: FilterContext,
): Omit<RetentionQuestion, 'breakdown'> => {
  const { retentionFilter, dateRange } = query
  const { retentionType, cumulative, minimumOccurrences, totalIntervals, period } = retentionFilter
  const filters = parseQueryFilters(query, context)
  const target = parseEntity(retentionFilter, 'targetEntity', filters, context)
  const returning = parseEntity(retentionFilter, 'returningEntity', filters, context)
  return {
    events: toSelection(target.condition, context),
    cohorts: toCohortRule(retentionType, target),
    returning: returning.condition,
    minimumReturns: minimumOccurrences ?? 1,
    isCumulative: cumulative === true,
    actor: parseActor(query, context),
    periods: readLastPeriods(dateRange, INTERVALS[period ?? 'Day'], totalIntervals ?? DEFAULT_COUNT, context),
  }
}

const parseEntity = (
  filter: RetentionFilter,
  field: 'targetEntity' | 'returningEntity',
  filters: Condition,
  context: FilterContext,
): Series => {
  const { id, properties } = filter[field] ?? { ...DEFAULT_ENTITY, properties: undefined }
  return parseSeries({ event: id ?? null, properties }, 0, filters, context, `query.retentionFilter.${field}`)
}

const toCohortRule = (type: RetentionFilter['retentionType'], { named }: Series): CohortRule => {
  if (type === 'retention_first_time') return { of: 'first_time' }
  return type === 'retention_first_ever_occurrence' ? { of: 'first_among', among: named } : { of: 'every_period' }
}

/** The start of a period as a time with the offset of the calendar's time zone. */
const toDate = (start: number, calendar: Calendar): string =>
  toLocalTime(start, calendar).toString({ timeZoneName: 'never', smallestUnit: 'second' }).replace('+00:00', 'Z')
