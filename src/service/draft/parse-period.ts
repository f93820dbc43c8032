import { DraftError } from './draft-error.ts'
import type { Clause } from './find-clause.ts'
import type { Interval, Period, TimePoint } from './question.ts'
import type { Word } from './split-words.ts'
import { matchWords, writeWords } from './split-words.ts'

const MONTHS = [
  'january',
  'february',
  'march',
  'april',
  'may',
  'june',
  'july',
  'august',
  'september',
  'october',
  'november',
  'december',
] as const

const NUMBERS = ['one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine', 'ten', 'eleven', 'twelve']

const UNIT = '(minute|hour|day|week|month|quarter|year)s?'
const COUNT = `([1-9]\\d{0,4}|${NUMBERS.join('|')})`
const MONTH = MONTHS.map((month) => `${month.slice(0, 3)}(?:${month.slice(3)})?`).join('|')
/** A day, a month or a year: `2026-01-31`, `2026-01`, `january 2026`, `2026`. */
const DATE = `(\\d{4}-\\d{2}-\\d{2}|\\d{4}-\\d{2}|(?:${MONTH})(?: \\d{4})?|\\d{4}|today|yesterday)`
const PLACE = '(?:(?:in|over|during|within|for|from|of|across) )?'

/**
 * Reads a period at the start of some words: `in the last 90 days`, `this month`, `since 2026-01-01`. `last week` is the calendar week
 * before this one, and `the last week` the last seven days. Weeks begin on Monday, and all times are in UTC.
 *
 * @param now Milliseconds since 1970: a month without a year is the last one that has begun.
 */
export const parsePeriod = (words: readonly Word[], now: number): Clause<Period> | null => {
  for (const { pattern, read } of FORMS) {
    const match = matchWords(words, pattern)
    if (match === null) continue
    const range = read(
      match.groups.map((group) => group ?? ''),
      now,
    )
    return { value: { ...range, words: writeWords(words.slice(0, match.count)) }, count: match.count }
  }
  return null
}

type Range = Pick<Period, 'from' | 'before'>

interface Form {
  readonly pattern: RegExp
  readonly read: (groups: readonly string[], now: number) => Range
}

const NOW: TimePoint = { at: 'now' }

/** @param unit Matches `UNIT`. */
const startOf = (unit: string): TimePoint => ({ at: { startOf: unit as Interval } })

/** @param unit Matches `UNIT`. */
const before = (time: TimePoint, count: number, unit: string): TimePoint => ({
  ...time,
  moved: { count: -count, unit: unit as Interval },
})

/** The first that fits is meant. */
const FORMS: readonly Form[] = [
  {
    pattern: new RegExp(`(?:between|from) ${DATE} (?:and|to|until|till|through) ${DATE}`),
    read: ([from = '', to = ''], now) => ({ from: parseDate(from, now).from, before: parseDate(to, now).before }),
  },
  {
    pattern: new RegExp(`${PLACE}(?:the )?(?:last|past|previous) ${COUNT} ${UNIT}`),
    read: ([count = '', unit = '']) => {
      const number = NUMBERS.includes(count) ? NUMBERS.indexOf(count) + 1 : Number(count)
      return { from: before(NOW, number, unit), before: NOW }
    },
  },
  {
    pattern: new RegExp(`${PLACE}the (?:last|past) ${UNIT}|${PLACE}(?:the )?past ${UNIT}`),
    read: ([unit = '', other = '']) => ({ from: before(NOW, 1, unit || other), before: NOW }),
  },
  {
    pattern: new RegExp(`${PLACE}(?:the )?(?:last|previous) ${UNIT}`),
    read: ([unit = '']) => ({ from: before(startOf(unit), 1, unit), before: startOf(unit) }),
  },
  {
    pattern: new RegExp(`${PLACE}(?:this|the current) ${UNIT}`),
    read: ([unit = '']) => ({ from: startOf(unit), before: null }),
  },
  { pattern: /(?:(?:for|from|of|on) )?today/, read: () => ({ from: startOf('day'), before: null }) },
  {
    pattern: /(?:(?:for|from|of|on) )?yesterday/,
    read: () => ({ from: before(startOf('day'), 1, 'day'), before: startOf('day') }),
  },
  {
    pattern: new RegExp(`(?:since|from) ${DATE}`),
    read: ([date = ''], now) => ({ from: parseDate(date, now).from, before: null }),
  },
  {
    pattern: new RegExp(`after ${DATE}`),
    read: ([date = ''], now) => ({ from: parseDate(date, now).before, before: null }),
  },
  {
    pattern: new RegExp(`before ${DATE}`),
    read: ([date = ''], now) => ({ from: null, before: parseDate(date, now).from }),
  },
  {
    pattern: new RegExp(`(?:until|till|up to) ${DATE}`),
    read: ([date = ''], now) => ({ from: null, before: parseDate(date, now).before }),
  },
  {
    pattern: new RegExp(`(?:in|on|during|for|of) ${DATE}`),
    read: ([date = ''], now) => parseDate(date, now),
  },
  {
    pattern: /(?:of|over|for|in|across) all time|all time|ever|(?:so far|to date)/,
    read: () => ({ from: null, before: null }),
  },
]

const parseDate = (date: string, now: number): Range => {
  if (date === 'today') return { from: startOf('day'), before: { ...startOf('day'), moved: { count: 1, unit: 'day' } } }
  if (date === 'yesterday') return { from: before(startOf('day'), 1, 'day'), before: startOf('day') }
  const [first = '', second = ''] = date.split(' ')
  const month = MONTHS.findIndex((name) => name.startsWith(first.slice(0, 3)))
  if (month !== -1 && /^[a-z]/.test(first)) {
    const year = second === '' ? yearOfLast(month, now) : Number(second)
    return { from: toDay(Date.UTC(year, month)), before: toDay(Date.UTC(year, month + 1)) }
  }
  const [year = 0, monthNumber, day] = date.split('-').map(Number)
  if (monthNumber === undefined) return { from: toDay(Date.UTC(year, 0)), before: toDay(Date.UTC(year + 1, 0)) }
  const start = Date.UTC(year, monthNumber - 1, day ?? 1)
  if (!new Date(start).toISOString().startsWith(date)) throw new DraftError(`There is no date "${date}".`)
  return {
    from: toDay(start),
    before: toDay(Date.UTC(year, day === undefined ? monthNumber : monthNumber - 1, (day ?? 0) + 1)),
  }
}

const yearOfLast = (month: number, now: number): number => {
  const today = new Date(now)
  return month <= today.getUTCMonth() ? today.getUTCFullYear() : today.getUTCFullYear() - 1
}

const toDay = (time: number): TimePoint => ({ at: { day: new Date(time).toISOString().slice(0, 10) } })

const UNITS = '(minute|hour|day|week|month|quarter|year)'

const ADVERBS: Readonly<Record<string, Interval>> = {
  hourly: 'hour',
  daily: 'day',
  weekly: 'week',
  monthly: 'month',
  quarterly: 'quarter',
  yearly: 'year',
  annually: 'year',
}

/** Reads an interval at the start of some words: `per week`, `daily`, `day by day`, `over time` (days). */
export const parseInterval = (words: readonly Word[]): Clause<Interval> | null => {
  const unit = matchWords(
    words,
    new RegExp(
      `(?:grouped by|broken down by|split by|per|each|every|by|by the|by each|for each|for every|in each|a|an) ${UNITS}|${UNITS} (?:by|over) ${UNITS}`,
    ),
  )
  if (unit !== null) return { value: (unit.groups[0] ?? unit.groups[1]) as Interval, count: unit.count }
  const adverb = matchWords(words, new RegExp(`(${Object.keys(ADVERBS).join('|')})`))
  if (adverb !== null) return { value: ADVERBS[adverb.groups[0]!]!, count: adverb.count }
  const time = matchWords(words, /over time/)
  return time === null ? null : { value: 'day', count: time.count }
}
