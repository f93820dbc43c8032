import type { FilterContext } from '../filter/filter-context.ts'
import type { RetentionQuery } from '../schema/retention-query.ts'
import type { Interval } from '../time/calendar.ts'
import { startOf, toDuration, toLocalTime } from '../time/calendar.ts'
import { parseDateRange } from '../time/date-range.ts'
import type { Periods } from '../time/periods.ts'
import { createPeriods } from '../time/periods.ts'

/**
 * The last whole periods, of which the last one contains the end of the range of dates.
 *
 * @throws FilterError
 */
export const readLastPeriods = (
  dateRange: RetentionQuery['dateRange'],
  interval: Interval,
  count: number,
  { now, calendar }: FilterContext,
): Periods => {
  const { date_to: dateTo, explicitDate } = dateRange ?? {}
  const dates = { now, calendar, hasWholeDays: explicitDate !== true }
  const { before = now + 1 } = parseDateRange({ date_to: dateTo ?? null }, 'query.dateRange', dates)
  const last = startOf(interval, toLocalTime(before - 1, calendar), calendar)
  // One more than needed: Samoa has skipped a day, and on Lord Howe Island clocks change by half an hour.
  const from = last.subtract(toDuration(count, interval)).epochMilliseconds
  const { starts: all, end } = createPeriods({ from, before }, interval, calendar, 'query.retentionFilter.period')
  const starts = all.slice(-count)
  return { range: { from: starts[0]!, before: end }, starts, end }
}
