import { Temporal } from 'temporal-polyfill'

/** How a project counts days and weeks. */
export interface Calendar {
  /** Name in the IANA time zone database, such as `Europe/Berlin`. */
  readonly timeZone: string
  readonly weekStart: 'sunday' | 'monday'
}

/** A moment in the time zone of a calendar. */
export type LocalTime = Temporal.ZonedDateTime

/** The units in which ranges of time are divided. */
export const INTERVALS = ['minute', 'hour', 'day', 'week', 'month'] as const

export type Interval = (typeof INTERVALS)[number]

/** A unit that has a start. */
export type Unit = Interval | 'quarter' | 'year'

export const UTC_CALENDAR: Calendar = { timeZone: 'UTC', weekStart: 'sunday' }

/** Whether the time zone database has this name. */
export const isTimeZone = (name: string): boolean => {
  try {
    Temporal.Instant.fromEpochMilliseconds(0).toZonedDateTimeISO(name)
    return !/^[+-]/.test(name)
  } catch {
    return false
  }
}

/** @param time Milliseconds since 1970. */
export const toLocalTime = (time: number, { timeZone }: Calendar): LocalTime =>
  Temporal.Instant.fromEpochMilliseconds(time).toZonedDateTimeISO(timeZone)

/**
 * Creates a function from a time to what the clocks of a calendar show then, in milliseconds since they showed 1970. For times in ascending
 * order it is fast: it asks the time zone database only once between two changes of the clocks.
 */
export const createClock = (calendar: Calendar): ((time: number) => number) => {
  let offsetMs = 0
  let from = Infinity
  let before = -Infinity
  return (time) => {
    if (time < from || time >= before) {
      const local = toLocalTime(time, calendar)
      offsetMs = local.offsetNanoseconds / 1_000_000
      from = time
      before = local.getTimeZoneTransition('next')?.epochMilliseconds ?? Infinity
    }
    return time + offsetMs
  }
}

/** Months of a quarter. */
const QUARTER = 3

/** A number of units; negative to go back. Days, and what is longer, keep the time of day. */
export const toDuration = (count: number, unit: Unit): Temporal.DurationLike =>
  unit === 'quarter' ? { months: count * QUARTER } : { [`${unit}s`]: count }

const startOfMonth = (time: LocalTime): LocalTime => time.with({ day: 1 }).startOfDay()

/** Days since the first day of the week; Temporal counts from 1 for Monday. */
const dayInWeek = ({ dayOfWeek }: LocalTime, { weekStart }: Calendar): number =>
  weekStart === 'monday' ? dayOfWeek - 1 : dayOfWeek % 7

/**
 * The last time at which the clocks showed a full hour. Where they have changed since by a part of an hour, as on Lord Howe Island, the
 * hour is longer or shorter than others.
 */
const startOfHour = (time: LocalTime): LocalTime => {
  const { minute: minutes, second: seconds, millisecond: milliseconds } = time
  const start = time.subtract({ minutes, seconds, milliseconds })
  // Those who ask for the change before a time do not get one at this time.
  const change = time.add({ milliseconds: 1 }).getTimeZoneTransition('previous')
  if (change === null || change.epochMilliseconds <= start.epochMilliseconds) return start
  return startOfHour(change.subtract({ milliseconds: 1 }))
}

/** The start of the hour after the one that a time is in. */
const startOfNextHour = (time: LocalTime): LocalTime => {
  const start = startOfHour(time)
  let next = start
  // An hour may be longer than an hour.
  for (let hours = 1; next.epochMilliseconds <= start.epochMilliseconds; hours++)
    next = startOfHour(start.add({ hours }))
  return next
}

/** The start of the unit that a time is in. */
export const startOf = (unit: Unit, time: LocalTime, calendar: Calendar): LocalTime => {
  switch (unit) {
    case 'minute':
      return time.round({ smallestUnit: unit, roundingMode: 'floor' })
    case 'hour':
      return startOfHour(time)
    case 'day':
      return time.startOfDay()
    case 'week':
      return time.subtract({ days: dayInWeek(time, calendar) }).startOfDay()
    case 'month':
      return startOfMonth(time)
    case 'quarter':
      return startOfMonth(time.subtract({ months: (time.month - 1) % QUARTER }))
    default:
      return startOfMonth(time.with({ month: 1, day: 1 }))
  }
}

/** The start of the unit after the one that a time is in. */
export const startOfNext = (unit: Unit, time: LocalTime, calendar: Calendar): LocalTime => {
  if (unit === 'hour') return startOfNextHour(time)
  const next = startOf(unit, time, calendar).add(toDuration(1, unit))
  // A day may begin later than at midnight.
  return unit === 'minute' ? next : next.startOfDay()
}
