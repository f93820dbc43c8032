import { parseDate, parseRelativeDate } from '../../evaluate/operators/parse-date.ts'
import type { Json, JsonObject } from '../../wire/json.ts'
import { FilterError } from './filter/filter-error.ts'

/** A range of times in milliseconds since 1970; a missing bound is open. */
export interface DateRange {
  /** Inclusive. */
  readonly from?: number
  /** Exclusive. */
  readonly before?: number
}

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const DAY_MS = 24 * HOUR_MS

/** A count of units before now, and the start or end of the unit that this time is in: `-7d`, `-1mStart`, `dEnd`. */
const RELATIVE_DATE = /^-?(\d{1,4})?([Mhdwmqy])(Start|End)?$/

type Unit = 'M' | 'h' | 'd' | 'w' | 'm' | 'q' | 'y'

/** Goes back from now; days are clamped as in flag filters. Undefined for a count that is too large. */
const goBack = (count: number, unit: Unit, now: number): number | undefined => {
  if (unit === 'M') return now - count * MINUTE_MS
  const relative = unit === 'q' ? `${count * 3}m` : `${count}${unit}`
  return parseRelativeDate(relative)?.(now)
}

/** The start of the unit that a day is in, in UTC, or of the unit `offset` later. Weeks start on Sunday. */
const START_OF: Readonly<Record<Exclude<Unit, 'M' | 'h'>, (date: Date, offset: 0 | 1) => number>> = {
  d: (date, offset) => Date.UTC(date.getUTCFullYear(), date.getUTCMonth(), date.getUTCDate() + offset),
  w: (date, offset) =>
    Date.UTC(date.getUTCFullYear(), date.getUTCMonth(), date.getUTCDate() - date.getUTCDay() + offset * 7),
  m: (date, offset) => Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + offset),
  q: (date, offset) => Date.UTC(date.getUTCFullYear(), date.getUTCMonth() - (date.getUTCMonth() % 3) + offset * 3),
  y: (date, offset) => Date.UTC(date.getUTCFullYear() + offset, 0),
}

const startOf = (unit: Unit, time: number, offset: 0 | 1): number => {
  if (unit !== 'M' && unit !== 'h') return START_OF[unit](new Date(time), offset)
  const length = unit === 'M' ? MINUTE_MS : HOUR_MS
  return (Math.floor(time / length) + offset) * length
}

const isAbsent = (value: Json | undefined): boolean =>
  value === undefined || value === null || value === '' || value === 'all'

/** Parses a relative date; undefined for anything else. `isEnd`: returns the first time after it. */
const parseRelative = (value: string, isEnd: boolean, now: number): number | undefined => {
  const [, digits, unit, position] = RELATIVE_DATE.exec(value) ?? []
  if (unit === undefined || (digits === undefined && position === undefined)) return undefined
  const time = goBack(Number(digits ?? 0), unit as Unit, now)
  if (time === undefined || position !== undefined)
    return time && startOf(unit as Unit, time, position === 'End' ? 1 : 0)
  return isEnd ? time + 1 : time
}

/** Parses a date or a time; undefined for anything else. `isEnd`: returns the first time after it. */
const parseAbsolute = (value: string, isEnd: boolean): number | undefined => {
  const time = parseDate(value)
  if (time === undefined || !isEnd) return time
  // A date without a time includes the whole day.
  return value.length === 'YYYY-MM-DD'.length ? time + DAY_MS : time + 1
}

const parseBound = (value: Json | undefined, path: string, isEnd: boolean, now: number): number | undefined => {
  if (isAbsent(value)) return undefined
  const time = typeof value === 'string' ? (parseRelative(value, isEnd, now) ?? parseAbsolute(value, isEnd)) : undefined
  if (time !== undefined) return time
  throw new FilterError(path, 'must be an ISO 8601 date or time, a relative date such as "-7d" or "-1mStart", or "all"')
}

/**
 * Parses `date_from` and `date_to`: an ISO 8601 date or time, a relative date, `all`, null or missing; the last three leave the
 * range open. Both bounds are included, `date_to` with its whole day if it has no time. Times without a zone are UTC.
 *
 * A relative date is a count of minutes, hours, days, weeks, months, quarters or years (`M h d w m q y`) before now, such as
 * `-7d`. `Start` or `End` after it means the start or end of that hour, day and so on: `dStart` is today at midnight.
 *
 * @param path Path of the object that contains them, for errors; empty for none.
 * @throws FilterError
 */
export const parseDateRange = ({ date_from: from, date_to: to }: JsonObject, path: string, now: number): DateRange => {
  const prefix = path === '' ? '' : `${path}.`
  const fromTime = parseBound(from, `${prefix}date_from`, false, now)
  const beforeTime = parseBound(to, `${prefix}date_to`, true, now)
  return {
    ...(fromTime !== undefined && { from: fromTime }),
    ...(beforeTime !== undefined && { before: beforeTime }),
  }
}
