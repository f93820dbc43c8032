import type { Calendar, Interval, LocalTime } from '../time/calendar.ts'
import { toLocalTime } from '../time/calendar.ts'
import type { Periods } from '../time/periods.ts'

/** The names of periods, as clients of the protocol show them. */
export interface PeriodLabels {
  /** `2026-01-31`, or `2026-01-31 14:00:00` for hours and minutes. */
  readonly days: string[]
  /** `31-Jan-2026`, or `31-Jan-2026 14:00`. */
  readonly labels: string[]
}

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec']

const timeOf = (time: LocalTime): string => time.toPlainTime().toString({ smallestUnit: 'second' })

/** The names of the starts of periods, in the time zone of the calendar. */
export const labelPeriods = (
  { starts }: Pick<Periods, 'starts'>,
  interval: Interval,
  calendar: Calendar,
): PeriodLabels => {
  const times = starts.map((start) => toLocalTime(start, calendar))
  const hasTime = interval === 'hour' || interval === 'minute'
  return {
    days: times.map((time) => `${time.toPlainDate().toString()}${hasTime ? ` ${timeOf(time)}` : ''}`),
    labels: times.map(
      (time) => `${time.day}-${MONTHS[time.month - 1]}-${time.year}${hasTime ? ` ${timeOf(time).slice(0, 5)}` : ''}`,
    ),
  }
}
