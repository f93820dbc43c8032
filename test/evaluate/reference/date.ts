import type { Json } from '../../../src/wire/json.ts'
import { unsuited, unsupported } from './open.ts'
import { printed } from './rule.ts'
import type { Knowledge, Rule } from './rule.ts'

const isoDate = /^\d{4}-\d\d-\d\d([T ]\d\d:\d\d(:\d\d(\.\d+)?)?( ?(Z|GMT|[+-]\d\d:\d\d))?)?$/u

/** Milliseconds since 1970 of an absolute date: that number itself, or ISO 8601 (in UTC unless it says otherwise). NaN for others. */
const instant = (value: Json, { deviations }: Knowledge): number => {
  if (typeof value === 'number') return new Date(value).getTime()
  if (typeof value !== 'string') return NaN
  const [date = '', time, , , zone] = isoDate.exec(value) ?? []
  const isDate = date !== '' && new Date(date.slice(0, 10)).getUTCDate() === Number(date.slice(8, 10))
  if (!isDate) return deviations.has('a date is what Date reads') ? new Date(value).getTime() : NaN
  const isLocal = time !== undefined && zone === undefined && deviations.has('a date without a zone is local')
  return new Date(time === undefined || zone !== undefined || isLocal ? value : `${value}Z`).getTime()
}

/** A count of hours, days, weeks, months or years before now; undefined for other texts. */
const relative = (value: Json, now: number): number | undefined => {
  const [, digits, unit] = /^-?(\d+)([hdwmy])$/u.exec(printed(value)) ?? []
  if (digits === undefined || Number(digits) >= 10_000) return undefined
  const count = Number(digits)
  if (unit === 'h') return now - count * 3_600_000
  if (unit === 'd') return now - count * 86_400_000
  if (unit === 'w') return now - count * 7 * 86_400_000
  // One step at a time, so that a day once clamped stays clamped.
  const date = new Date(now)
  for (let step = 0; step < count; step++) {
    const day = date.getUTCDate()
    date.setUTCDate(1)
    if (unit === 'm') date.setUTCMonth(date.getUTCMonth() - 1)
    else date.setUTCFullYear(date.getUTCFullYear() - 1)
    const last = new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 0)).getUTCDate()
    date.setUTCDate(Math.min(day, last))
  }
  return date.getTime()
}

/** Moments. What is none is no match in the service, and an open question elsewhere. */
export const dated =
  (holds: (given: number, limit: number) => boolean): Rule =>
  (wanted, knowledge) => {
    const { now, complete } = knowledge
    const limit = relative(wanted, now) ?? instant(wanted, knowledge)
    if (Number.isNaN(limit)) return complete ? () => false : unsupported()
    return (given) => {
      const time = instant(given, knowledge)
      if (Number.isNaN(time)) return complete ? false : unsuited()
      return holds(time, limit)
    }
  }
