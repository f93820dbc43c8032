import type { Json } from '../../wire/json.ts'

const ISO =
  /^(\d{4}-\d\d-(\d\d))(?:[T ](\d\d:\d\d)(?::(\d\d(?:\.\d{1,9})?))?(?: ?(?:(Z|UTC|GMT)|([+-])([01]\d|2[0-3])(?::?([0-5]\d))?))?)?$/i

/** Largest distance from 1970 that a date can represent (ECMA-262, time values). */
const MAX_TIMESTAMP_MS = 8.64e15

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const DAY_MS = 24 * HOUR_MS

const parseIsoDate = (input: string): number | undefined => {
  const match = ISO.exec(input)
  if (!match) return undefined
  const [, date, day, time = '00:00', seconds = '00', , sign, hours = '0', minutes = '0'] = match
  const midnight = Date.parse(`${date}T00:00:00Z`)
  // Engines differ on whether 30 February is valid.
  if (Number.isNaN(midnight) || new Date(midnight).getUTCDate() !== Number(day)) return undefined
  const timestamp = Date.parse(`${date}T${time}:${seconds.padEnd(6, seconds.length > 2 ? '0' : '.000').slice(0, 6)}Z`)
  if (Number.isNaN(timestamp)) return undefined
  const offset = Number(hours) * HOUR_MS + Number(minutes) * MINUTE_MS
  return sign === '-' ? timestamp + offset : timestamp - offset
}

/**
 * Parses a property or a filter value as a time: an ISO date or date and time, a number of milliseconds, or a `Date`. Without a
 * time zone it is UTC, so that a definition means the same wherever it is evaluated.
 *
 * @returns Milliseconds since 1970; undefined for every other value.
 */
export const parseDate = (value: Json): number | undefined => {
  if (typeof value === 'string') return parseIsoDate(value)
  const timestamp = value instanceof Date ? value.getTime() : value
  return typeof timestamp === 'number' && Math.abs(timestamp) <= MAX_TIMESTAMP_MS ? timestamp : undefined
}

const subtractMonths = (now: number, months: number): number => {
  const date = new Date(now)
  const year = date.getUTCFullYear()
  const month = date.getUTCMonth()
  let day = date.getUTCDate()
  // Going back month by month, the day shrinks to the length of each month passed and does not grow again.
  for (let step = 1; step <= months && day > 28; step++)
    day = Math.min(day, new Date(Date.UTC(year, month - step + 1, 0)).getUTCDate())
  return date.setUTCFullYear(year, month - months, day)
}

const subtractYears = (now: number, years: number): number => {
  const date = new Date(now)
  const isLeapDay = years > 0 && date.getUTCMonth() === 1 && date.getUTCDate() === 29
  return date.setUTCFullYear(date.getUTCFullYear() - years, date.getUTCMonth(), isLeapDay ? 28 : date.getUTCDate())
}

/** By unit: hours, days, weeks, months, years. */
const SUBTRACT: Readonly<Record<string, (now: number, count: number) => number>> = {
  h: (now, count) => now - count * HOUR_MS,
  d: (now, count) => now - count * DAY_MS,
  w: (now, count) => now - count * 7 * DAY_MS,
  m: subtractMonths,
  y: subtractYears,
}

/** Exclusive upper bound for the count of a relative date. */
const MAX_COUNT = 10_000

/**
 * Parses a relative date such as `-6h` or `30d`: a count of hours, days, weeks, months or years (`h d w m y`) before now. It is
 * always in the past, with or without the sign. In UTC; the day is clamped month by month (a month before 31 March is 28 February).
 *
 * @returns A function from now to that time, both in milliseconds since 1970; undefined when the input is not a relative date.
 */
export const parseRelativeDate = (input: string): ((now: number) => number) | undefined => {
  const [, digits, unit] = /^-?(\d+)([hdwmy])$/.exec(input) ?? []
  const count = Number(digits)
  return count < MAX_COUNT ? (now) => SUBTRACT[unit!]!(now, count) : undefined
}
