import { parseThreshold } from '../../../../evaluate/operators/date.ts'
import { quoteString } from '../../../sql/quote-clickhouse.ts'
import type { SqlOperator } from '../sql/sql-operator.ts'
import { bind, quoteNumber } from './bind.ts'

/** The dates that `parseDate` reads, with a group for each number. */
const ISO_DATE = quoteString(
  '^(?i)([0-9]{4})-([0-9]{2})-([0-9]{2})(?:[T ]([0-9]{2}):([0-9]{2})(?::([0-9]{2})(?:\\.([0-9]{1,9}))?)?(?: ?(?:(?:Z|UTC|GMT)|([+-])([01][0-9]|2[0-3])(?::?([0-5][0-9]))?))?)?$',
)

/** The place of each group. */
const PARTS = {
  year: 1,
  month: 2,
  day: 3,
  hour: 4,
  minute: 5,
  second: 6,
  fraction: 7,
  sign: 8,
  offsetHour: 9,
  offsetMinute: 10,
} as const

/** A part that is missing is empty, and means 0. */
const readPart = (part: keyof typeof PARTS): string => `toInt64(concat('0', iso[${PARTS[part]}]))`

/** Days since 1970 of a day in the Gregorian calendar. 400 years are added first, so that no division is of a negative number. */
const DAYS = (() => {
  const [year, month, day] = (['year', 'month', 'day'] as const).map(readPart)
  const shiftedYear = `(${year} + 400 - (${month} <= 2))`
  const yearOfEra = `(${shiftedYear} % 400)`
  const dayOfYear = `(intDiv(153 * (${month} + if(${month} > 2, -3, 9)) + 2, 5) + ${day} - 1)`
  return (
    `(intDiv(${shiftedYear}, 400) * 146097 + ${yearOfEra} * 365 + intDiv(${yearOfEra}, 4) - intDiv(${yearOfEra}, 100) + ` +
    `${dayOfYear} - ${146_097 + 719_468})`
  )
})()

/** Whether the calendar has the day. */
const IS_DAY = (() => {
  const [year, month, day] = (['year', 'month', 'day'] as const).map(readPart)
  const isLeap = `((${year} % 4 = 0 AND ${year} % 100 != 0) OR ${year} % 400 = 0)`
  const length = `if(${month} = 2, 28 + ${isLeap}, if(${month} IN (4, 6, 9, 11), 30, 31))`
  return `${month} BETWEEN 1 AND 12 AND ${day} BETWEEN 1 AND ${length}`
})()

/** The parts of an ISO date, in the array `iso`, as milliseconds since 1970; NULL for a day or time that does not exist. */
const ISO_MILLISECONDS = (() => {
  const [hour, minute, second] = (['hour', 'minute', 'second'] as const).map(readPart)
  const milliseconds = `toInt64(substring(concat(iso[${PARTS.fraction}], '000'), 1, 3))`
  const time = `(${hour} * 3600000 + ${minute} * 60000 + ${second} * 1000 + ${milliseconds})`
  const offset = `(${readPart('offsetHour')} * 3600000 + ${readPart('offsetMinute')} * 60000)`
  // The end of a day may be written as 24:00.
  const isTime = `${minute} < 60 AND ${second} < 60 AND ${time} <= 86400000`
  const inUtc = `${DAYS} * 86400000 + ${time} - if(iso[${PARTS.sign}] = '-', -${offset}, ${offset})`
  return `if(${IS_DAY} AND ${isTime}, toFloat64(${inUtc}), NULL)`
})()

const JSON_NUMBERS = "('UInt64', 'Int64', 'Double')"

/** Largest distance from 1970 that a date can have, as in `parseDate`. */
const MAX_TIMESTAMP = quoteNumber(8.64e15)

/** Writes `value`, a property that is not null, as milliseconds since 1970; NULL for one that is not a date. */
const writeMilliseconds = (type: string): string => {
  const isoDate = bind(`extractGroups(assumeNotNull(value), ${ISO_DATE})`, 'iso', ISO_MILLISECONDS)
  const number = 'toFloat64OrNull(value)'
  return (
    `multiIf(match(value, ${ISO_DATE}), ${isoDate}, ` +
    `${type} IN ${JSON_NUMBERS} AND abs(${number}) <= ${MAX_TIMESTAMP}, ${number}, NULL)`
  )
}

const createDateOperator =
  (sign: string): SqlOperator =>
  (value, { text, type, milliseconds }, { now }) => {
    const threshold = quoteNumber(parseThreshold(value)!(now))
    if (milliseconds !== undefined) return `(${milliseconds} ${sign} ${threshold})`
    const isMatch = `${writeMilliseconds(type)} ${sign} ${threshold}`
    return bind(text, 'value', `if(value IS NOT NULL, coalesce(${isMatch}, FALSE), NULL)`)
  }

export const dateOperators: Readonly<Record<string, SqlOperator>> = {
  is_date_before: createDateOperator('<'),
  is_date_after: createDateOperator('>'),
  is_date_exact: createDateOperator('='),
}
