import type { Json } from '../../wire/json.ts'
import { createCaseInsensitiveMatcher } from './case-insensitive-matcher.ts'
import { negate, printProperty, toComparableString } from './operator.ts'
import type { MatchingRules, Operator, OperatorFactory } from './operator.ts'

/** Returns whether a value is a boolean, the string `true` or `false`, or a list that contains only such values. */
const isTruthValue = (value: Json): boolean =>
  typeof value === 'string'
    ? /^(?:true|false)$/i.test(value)
    : typeof value === 'boolean' || (Array.isArray(value) && value.every(isTruthValue))

/** Returns whether a value is `true`, the string `true`, or a list that contains only such values. */
export const isTrue = (value: Json): boolean =>
  typeof value === 'string'
    ? value.length === 4 && value.toLowerCase() === 'true'
    : value === true || (Array.isArray(value) && value.every(isTrue))

const createTruthOperator = (value: Json): Operator => {
  const expected = isTrue(value)
  return { ifAbsent: false, test: (property) => isTrue(property) === expected }
}

const containsInteger = (value: Json): boolean =>
  typeof value === 'object' && value !== null ? Object.values(value).some(containsInteger) : Number.isInteger(value)

/** Parses a string as a number; NaN for the empty string. */
const toNumber = (input: string): number => (input === '' ? NaN : Number(input))

/**
 * Creates an operator that compares values printed as strings.
 *
 * Services print the integer 1 as `1`, or as `1.0` when it was sent as a float; JavaScript cannot distinguish these. So outside
 * the service a string has no result against an equal number, or against a list or object that contains integers.
 */
const createStringOperator = (list: readonly Json[]): Operator => {
  const matchesAny = createCaseInsensitiveMatcher(list.flatMap((value) => toComparableString(value) ?? []))
  const strings = list.filter((value) => typeof value === 'string')
  const matchesString = createCaseInsensitiveMatcher(strings)
  const numbersInStrings = new Set(strings.map(toNumber))
  const integers = new Set(list.filter(Number.isInteger))
  const hasNestedInteger = list.some((value) => typeof value === 'object' && containsInteger(value))
  return {
    ifAbsent: false,
    test: (property, { complete }) => {
      const printed = printProperty(property)
      if (printed === undefined) return undefined
      if (complete) return matchesAny(printed)
      if (typeof property === 'string') {
        if (matchesString(printed)) return true
        if (hasNestedInteger || (integers.size > 0 && integers.has(toNumber(printed)))) return undefined
      } else if (containsInteger(property)) {
        if (typeof property === 'number' ? numbersInStrings.has(property) : strings.length > 0) return undefined
      }
      return matchesAny(printed)
    },
  }
}

/** Whether `exact` compares if values are true, and not what they are as strings. */
export const comparesTruth = (value: Json, { propertyMatchingVersion }: MatchingRules): boolean =>
  (Array.isArray(value) && value.length === 0) || (propertyMatchingVersion !== 2 && isTruthValue(value))

const exact: OperatorFactory = (value, rules) =>
  comparesTruth(value, rules)
    ? createTruthOperator(value)
    : createStringOperator(Array.isArray(value) ? value : [value])

/** Case-insensitive equality of values printed as strings. A list as filter value matches any of its items. */
export const equalityOperators: Readonly<Record<string, OperatorFactory>> = { exact, is_not: negate(exact) }
