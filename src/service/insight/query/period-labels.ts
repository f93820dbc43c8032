import type { Calendar, Interval } from '../time/calendar.ts'
import { createClock } from '../time/calendar.ts'
import type { Periods } from '../time/periods.ts'

/** The names of periods, as clients of the protocol show them. */
export interface PeriodLabels {
  /** `2026-01-31`, or `2026-01-31 14:00:00` for hours and minutes. */
  readonly days: string[]
  /** `31-Jan-2026`, or `31-Jan-2026 14:00`. */
  readonly labels: string[]
}

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec']

/** The names of the starts of periods, in the time zone of the calendar. */
export const labelPeriods = (
  { starts }: Pick<Periods, 'starts'>,
  interval: Interval,
  calendar: Calendar,
): PeriodLabels => {
  const hasTime = interval === 'hour' || interval === 'minute'
  const toClock = createClock(calendar)
  const days: string[] = []
  const labels: string[] = []
  for (const start of starts) {
    const [date, time] = new Date(toClock(start)).toISOString().split('T') as [string, string]
    const [month, day] = [Number(date.slice(-5, -3)), Number(date.slice(-2))]
    days.push(hasTime ? `${date} ${time.slice(0, 8)}` : date)
    labels.push(`${day}-${MONTHS[month - 1]}-${Number(date.slice(0, -6))}${hasTime ? ` ${time.slice(0, 5)}` : ''}`)
  }
  return { days, labels }
}
