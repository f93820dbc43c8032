import type { FilterContext } from '../filter/filter-context.ts'
import { parseActor, parseQueryFilters, toSelection } from '../query/base.ts'
import { labelPeriods } from '../query/period-labels.ts'
import { readRange } from '../query/range.ts'
import type { Series } from '../query/series.ts'
import { describeSeries, nameOf, parseSeries } from '../query/series.ts'
import { LIFECYCLE_STATUSES } from '../question/lifecycle.ts'
import type { LifecycleQuestion, LifecycleStatus } from '../question/lifecycle.ts'
import type { Ask } from '../question/questions.ts'
import type { LifecycleQuery } from '../schema/lifecycle-query.ts'
import type { Calendar, Interval } from '../time/calendar.ts'
import { startOf, toLocalTime } from '../time/calendar.ts'
import type { Periods, TimeRange } from '../time/periods.ts'
import { createPeriods } from '../time/periods.ts'

/** One status of the answer to a query of lifecycles, as clients of the protocol read it. */
export interface LifecycleResult {
  readonly action: object
  readonly status: LifecycleStatus
  /** Name of the series and status. */
  readonly label: string
  /** How many actors have the status; negative for those who are gone. */
  readonly data: readonly number[]
  /** The sum of `data`. */
  readonly count: number
  readonly days: readonly string[]
  readonly labels: readonly string[]
}

/** Answers a query of lifecycles. Throws `FilterError`; rejects with `QueryError`. */
export const answerLifecycle = async (
  query: LifecycleQuery,
  context: FilterContext,
  ask: Ask,
): Promise<readonly LifecycleResult[]> => {
  const { series, question } = await createLifecycleQuestion(query, context, ask)
  const answer = await ask('lifecycle', question)
  const starts = question.periods.starts.slice(1)
  const { days, labels } = labelPeriods({ starts }, query.interval ?? 'day', context.calendar)
  const statuses = query.lifecycleFilter?.toggledLifecycles ?? LIFECYCLE_STATUSES
  return LIFECYCLE_STATUSES.filter((status) => statuses.includes(status)).map((status) => {
    const data = answer[status].map((number) => (status === 'dormant' ? 0 - number : number))
    return {
      action: describeSeries(series),
      status,
      label: `${nameOf(series.node)} - ${status}`,
      data,
      count: data.reduce((sum, number) => sum + number, 0),
      days,
      labels,
    }
  })
}

/** What a query asks. Throws `FilterError`; rejects with `QueryError`. */
export const createLifecycleQuestion = async (
  query: LifecycleQuery,
  context: FilterContext,
  ask: Ask,
): Promise<{ readonly series: Series; readonly question: LifecycleQuestion }> => {
  const interval = query.interval ?? 'day'
  const series = parseSeries(query.series[0]!, 0, parseQueryFilters(query, context), context)
  const actor = parseActor(query, context)
  const range = await readRange(query.dateRange, interval, context, ask)
  const periods = createWholePeriods(range, interval, context.calendar)
  return { series, question: { events: toSelection(series.condition, context), actor, periods } }
}

/** The periods of a range, and the one before them, which the first one is compared with. Parts of a period cannot be compared. */
const createWholePeriods = (range: TimeRange, interval: Interval, calendar: Calendar): Periods => {
  const first = startOf(interval, toLocalTime(range.from, calendar), calendar).epochMilliseconds
  const { starts, end } = createPeriods({ from: first - 1, before: range.before }, interval, calendar, 'query.interval')
  return { range: { from: starts[0]!, before: end }, starts, end }
}
