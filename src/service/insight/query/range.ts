import type { Static } from 'typebox'
import type { FilterContext } from '../filter/filter-context.ts'
import { FilterError } from '../filter/filter-error.ts'
import type { Ask } from '../question/questions.ts'
import type { DateRangeInput } from '../schema/fields.ts'
import type { Interval } from '../time/calendar.ts'
import { startOf, startOfNext, toLocalTime } from '../time/calendar.ts'
import { parseDateRange } from '../time/date-range.ts'
import type { TimeRange } from '../time/periods.ts'

const DEFAULT_FROM = '-7d'

/**
 * The earliest start of a range of all time (2015, as the protocol's services have it): an event before it is mostly of a wrong clock,
 * and would make the range too long for days and hours.
 */
const EARLIEST_START = Date.UTC(2015, 0, 1)

/**
 * The range of dates of a query. Without an end it ends with the current day, or with the current hour or minute where these are
 * the periods.
 *
 * @param interval Of the periods; a day for a range without periods.
 * @param ask For the earliest event since 2015, where the range begins with it.
 * @throws FilterError
 */
export const readRange = async (
  input: Static<typeof DateRangeInput> | null | undefined,
  interval: Interval,
  { now, calendar }: FilterContext,
  ask: Ask,
): Promise<TimeRange> => {
  const { date_from: dateFrom, date_to: dateTo, explicitDate } = input ?? {}
  const isExplicit = explicitDate === true
  const parsed = parseDateRange({ date_from: dateFrom || DEFAULT_FROM, date_to: dateTo ?? null }, 'query.dateRange', {
    now,
    calendar,
    hasWholeDays: !isExplicit,
  })
  const current = interval === 'minute' || interval === 'hour' ? interval : 'day'
  const localNow = toLocalTime(now, calendar)
  const before = parsed.before ?? (isExplicit ? now + 1 : startOfNext(current, localNow, calendar).epochMilliseconds)
  const from =
    parsed.from ??
    (await ask('earliestTime', { since: EARLIEST_START })) ??
    startOf('day', localNow, calendar).epochMilliseconds
  if (from < before) return { from, before }
  // All events are after the end of a range without a start.
  if (parsed.from === undefined) return { from: before - 1, before }
  throw new FilterError('query.dateRange', 'ends before it begins')
}

/** The range right before, of the same length: in days where it has whole days, whatever the clocks did. */
export const rangeBefore = ({ from, before }: TimeRange, { calendar }: FilterContext): TimeRange => {
  const [start, end] = [toLocalTime(from, calendar), toLocalTime(before, calendar)]
  const hasWholeDays = [start, end].every((time) => time.startOfDay().epochMilliseconds === time.epochMilliseconds)
  if (!hasWholeDays) return { from: from - (before - from), before: from }
  const days = start.toPlainDate().until(end.toPlainDate()).days
  return { from: start.subtract({ days }).startOfDay().epochMilliseconds, before: from }
}

/** A range some time earlier: `-14d`, `-1m`. Throws `FilterError`. */
export const shiftRange = (
  { from, before }: TimeRange,
  by: string,
  path: string,
  { calendar }: FilterContext,
): TimeRange => {
  if (!/^-\d{1,4}[Mhdwmqy]$/.test(by)) throw new FilterError(path, 'must be a relative date such as "-14d" or "-1m"')
  const shift = (now: number): number => parseDateRange({ date_from: by }, path, { now, calendar }).from!
  return { from: shift(from), before: shift(before) }
}
