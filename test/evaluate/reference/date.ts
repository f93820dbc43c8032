import type { Json } from '../../../src/wire/json.ts'
import { throwMissingContext, throwUnsupported } from './unknown.ts'
import { printJson } from './rule.ts'
import type { RuleContext, Rule } from './rule.ts'

const ISO_DATE = /^\d{4}-\d\d-\d\d([T ]\d\d:\d\d(:\d\d(\.\d+)?)?( ?(Z|GMT|[+-]\d\d:\d\d))?)?$/u

/** Parses an absolute date: milliseconds since 1970, or ISO 8601 (UTC without a zone). NaN for other values. */
const parseInstant = (value: Json, { deviations }: RuleContext): number => {
  if (typeof value === 'number') return new Date(value).getTime()
  if (typeof value !== 'string') return NaN
  const [date = '', time, , , zone] = ISO_DATE.exec(value) ?? []
  const isDate = date !== '' && new Date(date.slice(0, 10)).getUTCDate() === Number(date.slice(8, 10))
  if (!isDate) return deviations.has('a date is what Date accepts') ? new Date(value).getTime() : NaN
  const isLocal = time !== undefined && zone === undefined && deviations.has('a date without a zone is local')
  return new Date(time === undefined || zone !== undefined || isLocal ? value : `${value}Z`).getTime()
}

/** Parses a relative date such as `-7d`: hours, days, weeks, months or years before `now`. Undefined for other values. */
const parseRelative = (value: Json, now: number): number | undefined => {
  const [, digits, unit] = /^-?(\d+)([hdwmy])$/u.exec(printJson(value)) ?? []
  if (digits === undefined || Number(digits) >= 10_000) return undefined
  const count = Number(digits)
  if (unit === 'h') return now - count * 3_600_000
  if (unit === 'd') return now - count * 86_400_000
  if (unit === 'w') return now - count * 7 * 86_400_000
  // One month or year at a time, so that a day clamped to a shorter month stays clamped.
  const date = new Date(now)
  for (let step = 0; step < count; step++) {
    const day = date.getUTCDate()
    date.setUTCDate(1)
    if (unit === 'm') date.setUTCMonth(date.getUTCMonth() - 1)
    else date.setUTCFullYear(date.getUTCFullYear() - 1)
    const lastDay = new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 0)).getUTCDate()
    date.setUTCDate(Math.min(day, lastDay))
  }
  return date.getTime()
}

/** Compares times. A value that is not a date never matches in the service, and is unknown elsewhere. */
export const createDateRule =
  (isMatch: (time: number, limit: number) => boolean): Rule =>
  (expected, context) => {
    const { now, complete } = context
    const limit = parseRelative(expected, now) ?? parseInstant(expected, context)
    if (Number.isNaN(limit)) return complete ? () => false : throwUnsupported()
    return (property) => {
      const time = parseInstant(property, context)
      if (Number.isNaN(time)) return complete ? false : throwMissingContext()
      return isMatch(time, limit)
    }
  }
