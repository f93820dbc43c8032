import { FilterError } from '../filter/filter-error.ts'
import type { Calendar, Interval, LocalTime } from './calendar.ts'
import { startOf, startOfNext, toLocalTime } from './calendar.ts'

/** A range of times in milliseconds since 1970. */
export interface TimeRange {
  /** Inclusive. */
  readonly from: number
  /** Exclusive. */
  readonly before: number
}

/** A range of times that is divided in hours, days, weeks or months. */
export interface Periods {
  /** Times outside it do not count, even if they are in the first or the last period. */
  readonly range: TimeRange
  /** The starts of the periods, in order. The first may be before the range. */
  readonly starts: readonly number[]
  /** The end of the last period. */
  readonly end: number
}

/** Most periods of one range: a week of minutes, or a year of hours. */
const MAX_PERIODS = 10_000

/**
 * Divides a range into the periods of a calendar that contain a part of it.
 *
 * @param path Path of the interval, for errors.
 * @throws FilterError for more than 10,000 periods.
 */
export const createPeriods = (range: TimeRange, interval: Interval, calendar: Calendar, path: string): Periods => {
  const starts: number[] = []
  const toNext = createStep(interval, calendar)
  let start = startOf(interval, toLocalTime(range.from, calendar), calendar).epochMilliseconds
  do {
    if (starts.length === MAX_PERIODS)
      throw new FilterError(path, `is too short: the range of dates has more than ${MAX_PERIODS} of it`)
    starts.push(start)
    start = toNext(start)
  } while (start < range.before)
  return { range, starts, end: start }
}

const MINUTE_MS = 60_000
const HOUR_MS = 3_600_000

/** Lengths of periods in which no clock changes. */
const LENGTHS_MS: Partial<Record<Interval, number>> = { hour: HOUR_MS, day: 24 * HOUR_MS, week: 7 * 24 * HOUR_MS }

/** Creates the function from the start of a period to that of the next one. */
const createStep = (interval: Interval, calendar: Calendar): ((start: number) => number) => {
  if (interval === 'minute') return (start) => start + MINUTE_MS
  const toNext = (time: LocalTime): number => startOfNext(interval, time, calendar).epochMilliseconds
  const lengthMs = LENGTHS_MS[interval]
  if (lengthMs === undefined) return (start) => toNext(toLocalTime(start, calendar))
  // The calendar takes 8 µs for each period, which only matters where the clocks change; the front answers nothing else meanwhile.
  let changeTime = -Infinity
  return (start) => {
    if (start + lengthMs < changeTime) return start + lengthMs
    const time = toLocalTime(start, calendar)
    changeTime = time.getTimeZoneTransition('next')?.epochMilliseconds ?? Infinity
    return toNext(time)
  }
}

/** Joins each `count` periods to one; the last one may have fewer. */
export const joinPeriods = ({ range, starts, end }: Periods, count: number): Periods => ({
  range,
  starts: starts.filter((_, index) => index % count === 0),
  end,
})
