import type { Json } from '../../../src/wire/json.ts'
import { throwUnsupported } from './unknown.ts'
import { toComparableString } from './rule.ts'
import type { Rule } from './rule.ts'

/** Whether a value is a finite number; JSON represents all other numbers as null. */
const isFiniteNumber = (value: Json): value is number => typeof value === 'number' && Number.isFinite(value)

/** Parses a number: the whole string in the service, the start of the string elsewhere. NaN when that is not a number. */
const parseNumber = (value: Json, complete: boolean): number => {
  if (typeof value === 'number') return isFiniteNumber(value) ? value : NaN
  if (typeof value !== 'string') return NaN
  if (!complete) return parseFloat(value)
  return /^[+-]?(\d+(\.\d*)?|\.\d+)(e[+-]?\d+)?$/iu.test(value) ? Number(value) : NaN
}

/** Compares numbers; other values as strings, or not at all in the service. */
export const createComparisonRule =
  (isMatch: (order: number) => boolean): Rule =>
  (expected, context) => {
    const { complete, deviations } = context
    if (!isFiniteNumber(expected) && typeof expected !== 'string' && !deviations.has('anything can be ordered'))
      return throwUnsupported()
    const limit = parseNumber(expected, complete)
    return (property) => {
      if (typeof property === 'number' && !isFiniteNumber(property)) return false
      const number = parseNumber(
        typeof property === 'number' ? property : toComparableString(property, context),
        complete,
      )
      if (Number.isFinite(limit) && Number.isFinite(number)) return isMatch(number - limit)
      if (complete) return false
      const [first, second] = [toComparableString(property, context), toComparableString(expected, context)]
      return isMatch(first < second ? -1 : first > second ? 1 : 0)
    }
  }

/** Tests a range with inclusive ends. A value that is not a number is neither inside nor outside, and never matches. */
export const between =
  (matchesInside: boolean): Rule =>
  (expected) => {
    const [low = NaN, high = NaN] =
      Array.isArray(expected) && expected.length === 2 ? expected.map((end) => parseNumber(end, true)) : []
    return (property) => {
      const number = parseNumber(property, true)
      return low <= high && !Number.isNaN(number) && (low <= number && number <= high) === matchesInside
    }
  }
