import type { Json } from '../../wire/json.ts'
import { makeServiceOnly, printProperty } from './operator.ts'
import type { OperatorFactory } from './operator.ts'

const compare = <T extends number | string>(first: T, second: T): number =>
  first < second ? -1 : first > second ? 1 : 0

// Visitors control the input: with optional digits on both sides of an optional dot, the engine would backtrack over all splits.
const DECIMAL = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?$/i

/** JSON represents NaN and the infinities as null. */
const isNull = (value: Json): boolean => value === null || (typeof value === 'number' && !Number.isFinite(value))

const toFinite = (value: Json): number => (typeof value === 'number' && Number.isFinite(value) ? value : NaN)

/** Parses a number as services do: the whole string, else NaN. */
export const parseWholeNumber = (value: Json): number =>
  typeof value === 'string' ? (DECIMAL.test(value) ? Number(value) : NaN) : toFinite(value)

/** Parses a number as clients do: the leading part of the string that is a number. */
const parseLeadingNumber = (value: Json): number => toFinite(typeof value === 'string' ? parseFloat(value) : value)

const createComparison =
  (matches: (order: number) => boolean): OperatorFactory =>
  (value) => {
    if (typeof value !== 'string' && (typeof value !== 'number' || !Number.isFinite(value)))
      return 'needs a number or a string as its value'
    const wholeNumber = parseWholeNumber(value)
    const leadingNumber = parseLeadingNumber(value)
    const filterString = String(value)
    return {
      ifAbsent: false,
      test: (property, { complete }) => {
        if (isNull(property)) return false
        if (complete) {
          const number = parseWholeNumber(property)
          return !Number.isNaN(number) && !Number.isNaN(wholeNumber) && matches(compare(number, wholeNumber))
        }
        const number = parseLeadingNumber(property)
        if (!Number.isNaN(number) && !Number.isNaN(leadingNumber)) return matches(compare(number, leadingNumber))
        const propertyString = printProperty(property)
        return propertyString === undefined ? undefined : matches(compare(propertyString, filterString))
      },
    }
  }

/** Parses the filter value of `between` as minimum and maximum; empty for a value that is not a list of two. */
export const parseRange = (value: Json): readonly number[] =>
  Array.isArray(value) && value.length === 2 ? value.map(parseWholeNumber) : []

/** A property that is not a number is neither inside nor outside a range. */
const createRange =
  (matchesInside: boolean): OperatorFactory =>
  (value) => {
    const [min = NaN, max = NaN] = parseRange(value)
    const isRange = min <= max
    return {
      ifAbsent: !matchesInside,
      problem: isRange ? undefined : 'needs a list of two numbers, the smaller one first',
      test: (property) => {
        const number = parseWholeNumber(property)
        return isRange && !Number.isNaN(number) && (number >= min && number <= max) === matchesInside
      },
    }
  }

/** Compares numbers, also when written as strings. Outside the service, strings are compared when one side is not a number. */
export const orderOperators: Readonly<Record<string, OperatorFactory>> = {
  gt: createComparison((order) => order > 0),
  gte: createComparison((order) => order >= 0),
  lt: createComparison((order) => order < 0),
  lte: createComparison((order) => order <= 0),
  between: makeServiceOnly(createRange(true)),
  not_between: makeServiceOnly(createRange(false)),
}
