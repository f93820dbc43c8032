import { parseDate } from '../../../evaluate/operators/parse-date.ts'
import type { Json, JsonObject } from '../../../wire/json.ts'
import { FilterError } from '../filter/filter-error.ts'
import type { Calendar, LocalTime, Unit } from './calendar.ts'
import { startOf, startOfNext, toDuration, toLocalTime } from './calendar.ts'

/** A range of times in milliseconds since 1970; a missing bound is open. */
export interface DateRange {
  /** Inclusive. */
  readonly from?: number
  /** Exclusive. */
  readonly before?: number
}

/** How dates are read. */
export interface DateContext {
  /** Milliseconds since 1970. */
  readonly now: number
  readonly calendar: Calendar
  /**
   * Whether a relative date without `Start` or `End` stands for the whole day, or for the whole hour or minute that it counts.
   * Default: false, so that it is a moment.
   */
  readonly hasWholeDays?: boolean
}

/** A count of units before now, and the start or end of the unit that this time is in: `-7d`, `-1mStart`, `dEnd`. */
const RELATIVE_DATE = /^-?(\d{1,4})?([Mhdwmqy])(Start|End)?$/

const UNITS: Readonly<Record<string, Unit>> = {
  M: 'minute',
  h: 'hour',
  d: 'day',
  w: 'week',
  m: 'month',
  q: 'quarter',
  y: 'year',
}

const isAbsent = (value: Json | undefined): boolean =>
  value === undefined || value === null || value === '' || value === 'all'

/** Goes back from now; undefined for a time that is too long ago. */
const goBack = (now: LocalTime, count: number, unit: Unit): LocalTime | undefined => {
  const time = now.subtract(toDuration(count, unit))
  return time.year < 1 ? undefined : time
}

/** Parses a relative date; undefined for anything else. `isEnd`: returns the first time after it. */
const parseRelative = (
  value: string,
  isEnd: boolean,
  { now, calendar, hasWholeDays = false }: DateContext,
): number | undefined => {
  const [, digits, letter, position] = RELATIVE_DATE.exec(value) ?? []
  if (letter === undefined || (digits === undefined && position === undefined)) return undefined
  const unit = UNITS[letter]!
  const time = goBack(toLocalTime(now, calendar), Number(digits ?? 0), unit)
  if (time === undefined) return undefined
  if (position !== undefined) {
    const edge = position === 'End' ? startOfNext : startOf
    return edge(unit, time, calendar).epochMilliseconds
  }
  if (!hasWholeDays) return time.epochMilliseconds + (isEnd ? 1 : 0)
  const whole = unit === 'minute' || unit === 'hour' ? unit : 'day'
  return (isEnd ? startOfNext : startOf)(whole, time, calendar).epochMilliseconds
}

/** A time with its time zone. */
const ZONED = /\d{2}:\d{2}.*(?:Z|UTC|GMT|[+-]\d\d(?::?\d\d)?)$/i

/** Parses a date or a time; undefined for anything else. `isEnd`: returns the first time after it. */
const parseAbsolute = (value: string, isEnd: boolean, { calendar }: DateContext): number | undefined => {
  const time = parseDate(value)
  if (time === undefined || ZONED.test(value)) return time === undefined || !isEnd ? time : time + 1
  const utc = toLocalTime(time, { ...calendar, timeZone: 'UTC' })
  const local = utc.toPlainDateTime().toZonedDateTime(calendar.timeZone)
  if (!isEnd) return local.epochMilliseconds
  // A date without a time includes the whole day.
  return value.length === 'YYYY-MM-DD'.length
    ? startOfNext('day', local, calendar).epochMilliseconds
    : local.epochMilliseconds + 1
}

const parseBound = (
  value: Json | undefined,
  path: string,
  isEnd: boolean,
  context: DateContext,
): number | undefined => {
  if (isAbsent(value)) return undefined
  const time =
    typeof value === 'string'
      ? (parseRelative(value, isEnd, context) ?? parseAbsolute(value, isEnd, context))
      : undefined
  if (time !== undefined) return time
  throw new FilterError(path, 'must be an ISO 8601 date or time, a relative date such as "-7d" or "-1mStart", or "all"')
}

/**
 * Parses `date_from` and `date_to`: an ISO 8601 date or time, a relative date, `all`, null or missing; the last three leave the
 * range open. Both bounds are included, `date_to` with its whole day if it has no time. Times without a zone are those of the
 * calendar.
 *
 * A relative date is a count of minutes, hours, days, weeks, months, quarters or years (`M h d w m q y`) before now, such as
 * `-7d`. `Start` or `End` after it means the start or end of that hour, day and so on: `dStart` is today at midnight.
 *
 * @param path Path of the object that contains them, for errors; empty for none.
 * @throws FilterError
 */
export const parseDateRange = (
  { date_from: from, date_to: to }: JsonObject,
  path: string,
  context: DateContext,
): DateRange => {
  const prefix = path === '' ? '' : `${path}.`
  const fromTime = parseBound(from, `${prefix}date_from`, false, context)
  const beforeTime = parseBound(to, `${prefix}date_to`, true, context)
  return {
    ...(fromTime !== undefined && { from: fromTime }),
    ...(beforeTime !== undefined && { before: beforeTime }),
  }
}
