import type { Json } from '../../wire/json.ts'

const ISO =
  /^(\d{4}-\d\d-(\d\d))(?:[T ](\d\d:\d\d)(?::(\d\d(?:\.\d{1,9})?))?(?: ?(?:(Z|UTC|GMT)|([+-])([01]\d|2[0-3])(?::?([0-5]\d))?))?)?$/i

/** Furthest moment from 1970, either way, that a date can name (ECMA-262, time values). */
const MAX_MOMENT = 8.64e15

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

const ofText = (text: string): number | undefined => {
  const found = ISO.exec(text)
  if (!found) return undefined
  const [, date, day, time = '00:00', seconds = '00', , sign, hours = '0', minutes = '0'] = found
  const midnight = Date.parse(`${date}T00:00:00Z`)
  // Implementations differ on whether February has a 30th day.
  if (Number.isNaN(midnight) || new Date(midnight).getUTCDate() !== Number(day)) return undefined
  const at = Date.parse(`${date}T${time}:${seconds.padEnd(6, seconds.length > 2 ? '0' : '.000').slice(0, 6)}Z`)
  if (Number.isNaN(at)) return undefined
  const offset = Number(hours) * HOUR + Number(minutes) * MINUTE
  return sign === '-' ? at + offset : at - offset
}

/**
 * The moment that a property or a filter value names, in milliseconds since 1970: an ISO date or date and time, a number of
 * milliseconds, or a `Date`. Without a zone it is UTC everywhere: a definition has one meaning, wherever it is evaluated.
 *
 * @returns Undefined for everything else.
 */
export const momentOf = (value: Json): number | undefined => {
  if (typeof value === 'string') return ofText(value)
  const moment = value instanceof Date ? value.getTime() : value
  return typeof moment === 'number' && Math.abs(moment) <= MAX_MOMENT ? moment : undefined
}

const monthsBefore = (now: number, months: number): number => {
  const moment = new Date(now)
  const year = moment.getUTCFullYear()
  const month = moment.getUTCMonth()
  let day = moment.getUTCDate()
  // Going back month by month the day shrinks to the length of each month passed, and stays small.
  for (let step = 1; step <= months && day > 28; step++)
    day = Math.min(day, new Date(Date.UTC(year, month - step + 1, 0)).getUTCDate())
  return moment.setUTCFullYear(year, month - months, day)
}

const yearsBefore = (now: number, years: number): number => {
  const moment = new Date(now)
  const leapDay = years > 0 && moment.getUTCMonth() === 1 && moment.getUTCDate() === 29
  return moment.setUTCFullYear(
    moment.getUTCFullYear() - years,
    moment.getUTCMonth(),
    leapDay ? 28 : moment.getUTCDate(),
  )
}

/** By unit: hours, days, weeks, months, years. */
const BEFORE: Readonly<Record<string, (now: number, count: number) => number>> = {
  h: (now, count) => now - count * HOUR,
  d: (now, count) => now - count * DAY,
  w: (now, count) => now - count * 7 * DAY,
  m: monthsBefore,
  y: yearsBefore,
}

/** Counts of a relative date stay below this. */
const MAX_COUNT = 10_000

/**
 * A relative date such as `-6h` or `30d`: a count of hours, days, weeks, months or years (`h d w m y`) that ends now. Always
 * in the past, with or without the sign. In UTC; the day is clamped step by step (a month before 31 March is 28 February).
 *
 * @returns From now to that moment, both in milliseconds since 1970; undefined when the text is none.
 */
export const relativeMoment = (text: string): ((now: number) => number) | undefined => {
  const [, digits, unit] = /^-?(\d+)([hdwmy])$/.exec(text) ?? []
  const count = Number(digits)
  return count < MAX_COUNT ? (now) => BEFORE[unit!]!(now, count) : undefined
}
