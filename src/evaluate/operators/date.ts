import type { Json } from '../../wire/json.ts'
import { makeServiceOnly } from './operator.ts'
import type { OperatorFactory } from './operator.ts'
import { parseDate, parseRelativeDate } from './parse-date.ts'

/** Parses a filter value into a function from the current time to the threshold, both in milliseconds since 1970. */
export const parseThreshold = (value: Json): ((now: number) => number) | undefined => {
  const relativeDate = typeof value === 'string' ? parseRelativeDate(value) : undefined
  if (relativeDate) return relativeDate
  const timestamp = parseDate(value)
  return timestamp === undefined ? undefined : () => timestamp
}

const createDateOperator =
  (matches: (timestamp: number, threshold: number) => boolean): OperatorFactory =>
  (value) => {
    const getThreshold = parseThreshold(value)
    return {
      ifAbsent: false,
      problem: getThreshold ? undefined : 'needs a date, such as "2026-08-01" or "-30d"',
      test: (property, { complete, now }) => {
        if (property === null) return false
        const timestamp = parseDate(property)
        if (!getThreshold || timestamp === undefined) return complete ? false : undefined
        return matches(timestamp, getThreshold(now))
      },
    }
  }

/**
 * Operators that compare a time with a date or a relative date. A value that is not a date does not match in the service; elsewhere the
 * result is unknown.
 */
export const dateOperators: Readonly<Record<string, OperatorFactory>> = {
  is_date_before: createDateOperator((timestamp, threshold) => timestamp < threshold),
  is_date_after: createDateOperator((timestamp, threshold) => timestamp > threshold),
  is_date_exact: makeServiceOnly(createDateOperator((timestamp, threshold) => timestamp === threshold)),
}
