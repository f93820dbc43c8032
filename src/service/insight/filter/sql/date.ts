import { parseThreshold } from '../../../../evaluate/operators/date.ts'
import { bind, quoteNumber } from './bind.ts'
import type { SqlOperator } from './sql-operator.ts'

/** The dates that `parseDate` reads, with a group for each number. */
const ISO_DATE =
  '(?i)(\\d{4}-\\d\\d-\\d\\d)(?:[T ](\\d\\d):(\\d\\d)(?::(\\d\\d)(?:\\.(\\d{1,9}))?)?(?: ?(?:(?:Z|UTC|GMT)|([+-])([01]\\d|2[0-3])(?::?([0-5]\\d))?))?)?'

const PARTS = ['date', 'hour', 'minute', 'second', 'fraction', 'sign', 'offset_hour', 'offset_minute']

/** A part that is missing is empty, and means 0. */
const readNumber = (part: string): string => `('0' || iso.${part})::INTEGER`

/** Reads the parts of an ISO date, in the struct `iso`, as milliseconds since 1970; NULL for a day or time that does not exist. */
const ISO_MILLISECONDS = (() => {
  const [hour, minute, second, offsetHour, offsetMinute] = [
    'hour',
    'minute',
    'second',
    'offset_hour',
    'offset_minute',
  ].map(readNumber)
  const milliseconds = "left(iso.fraction || '000', 3)::INTEGER"
  const time = `(${hour} * 3600000 + ${minute} * 60000 + ${second} * 1000 + ${milliseconds})`
  const offset = `(${offsetHour} * 3600000 + ${offsetMinute} * 60000)`
  // The end of a day may be written as 24:00.
  const isTime = `${minute} < 60 AND ${second} < 60 AND ${time} <= 86400000`
  const midnight = 'epoch_ms(TRY_CAST(iso.date AS DATE)::TIMESTAMP)'
  return `CASE WHEN ${isTime} THEN ${midnight} + ${time} - CASE iso.sign WHEN '-' THEN -${offset} ELSE ${offset} END END`
})()

const JSON_NUMBERS = "('UBIGINT', 'BIGINT', 'DOUBLE')"

/** Largest distance from 1970 that a date can have, as in `parseDate`. */
const MAX_TIMESTAMP = quoteNumber(8.64e15)

/** Writes `value`, a property that is not null, as milliseconds since 1970; NULL for one that is not a date. */
const writeMilliseconds = (type: string): string => {
  const names = PARTS.map((name) => `'${name}'`).join(', ')
  const isoDate = bind(`regexp_extract(value, '^${ISO_DATE}$', [${names}])`, 'iso', ISO_MILLISECONDS)
  const number = 'TRY_CAST(value AS DOUBLE)'
  return (
    `CASE WHEN regexp_full_match(value, '${ISO_DATE}') THEN ${isoDate}` +
    ` WHEN ${type} IN ${JSON_NUMBERS} AND abs(${number}) <= ${MAX_TIMESTAMP} THEN ${number} END`
  )
}

const createDateOperator =
  (sign: string): SqlOperator =>
  (value, { text, type, milliseconds }, { now }) => {
    const threshold = quoteNumber(parseThreshold(value)!(now))
    if (milliseconds !== undefined) return `(${milliseconds} ${sign} ${threshold})`
    const isMatch = `${writeMilliseconds(type)} ${sign} ${threshold}`
    return bind(text, 'value', `CASE WHEN value IS NOT NULL THEN coalesce(${isMatch}, FALSE) END`)
  }

export const dateOperators: Readonly<Record<string, SqlOperator>> = {
  is_date_before: createDateOperator('<'),
  is_date_after: createDateOperator('>'),
  is_date_exact: createDateOperator('='),
}
