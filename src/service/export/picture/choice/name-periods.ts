import type { Json } from '../../../../wire/json.ts'
import { toList, toText } from './read-json.ts'

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec']

const DAY = /^(\d{4})-(\d{2})-(\d{2})(?:[ T](\d{2}:\d{2}))?/

/** Short names of periods for an axis: `31 Jan`, with the year where the periods are of several, and with the time for hours. */
export const namePeriods = (days: Json | undefined, interval: string): readonly string[] => {
  const texts = toList(days).map(toText)
  const hasYears = texts[0]?.slice(0, 4) !== texts.at(-1)?.slice(0, 4)
  // Over years the hours do not matter.
  const hasTimes = !hasYears && (interval === 'hour' || interval === 'minute')
  return texts.map((text) => {
    const [, year, month, day, time] = DAY.exec(text) ?? []
    const monthName = MONTHS[Number(month) - 1]
    if (monthName === undefined) return text
    if (interval === 'month') return `${monthName} ${year}`
    const date = `${Number(day)} ${monthName}${hasYears ? ` ${year}` : ''}`
    return hasTimes && time !== undefined ? `${date} ${time}` : date
  })
}
