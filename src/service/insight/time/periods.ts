import { FilterError } from '../filter/filter-error.ts'
import type { Calendar, Interval } from './calendar.ts'
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
  let start = startOf(interval, toLocalTime(range.from, calendar), calendar).epochMilliseconds
  do {
    if (starts.length === MAX_PERIODS)
      throw new FilterError(path, `is too short: the range of dates has more than ${MAX_PERIODS} of it`)
    starts.push(start)
    start = nextStart(start, interval, calendar)
  } while (start < range.before)
  return { range, starts, end: start }
}

/** Lengths that no calendar changes. */
const FIXED_LENGTHS: Readonly<Partial<Record<Interval, number>>> = { minute: 60_000, hour: 3_600_000 }

const nextStart = (start: number, interval: Interval, calendar: Calendar): number => {
  const length = FIXED_LENGTHS[interval]
  if (length !== undefined) return start + length
  return startOfNext(interval, toLocalTime(start, calendar), calendar).epochMilliseconds
}

/** Joins each `count` periods to one; the last one may have fewer. */
export const joinPeriods = ({ range, starts, end }: Periods, count: number): Periods => ({
  range,
  starts: starts.filter((_, index) => index % count === 0),
  end,
})
