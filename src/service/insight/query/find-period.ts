import type { FilterContext } from '../filter/filter-context.ts'
import { FilterError } from '../filter/filter-error.ts'
import type { Interval } from '../time/calendar.ts'
import { parseDateRange } from '../time/date-range.ts'
import type { Periods } from '../time/periods.ts'
import { labelPeriods } from './period-labels.ts'

const PATH = 'query.source.day'

/** The index of a period, by its name in `days` or by any time in it. Throws `FilterError`. */
export const findPeriod = (
  day: string | number,
  periods: Pick<Periods, 'starts' | 'end'>,
  interval: Interval,
  context: FilterContext,
): number => {
  if (typeof day === 'number')
    throw new FilterError(
      PATH,
      'must be one of the "days" of the insight, a string: only a StickinessQuery has numbers',
    )
  const index = labelPeriods(periods, interval, context.calendar).days.indexOf(day)
  if (index >= 0) return index
  const time = parseTime(day, context)
  if (time !== undefined && time >= periods.starts[0]! && time < periods.end)
    return periods.starts.findLastIndex((start) => start <= time)
  throw new FilterError(PATH, 'must be one of the "days" of the insight')
}

/** A day or time in milliseconds since 1970; undefined for anything else. */
const parseTime = (day: string, context: FilterContext): number | undefined => {
  try {
    return parseDateRange({ date_from: day }, '', context).from
  } catch (error) {
    if (error instanceof FilterError) return undefined
    throw error
  }
}
