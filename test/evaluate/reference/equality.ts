import type { Json } from '../../../src/wire/json.ts'
import { throwMissingContext } from './unknown.ts'
import { printJson } from './rule.ts'
import type { RuleContext, Rule } from './rule.ts'

/** `exact`: any element of the value. */
export const exact: Rule = (expected, context) => {
  const elements = Array.isArray(expected) ? expected : [expected]
  const comparesTruth =
    context.version === 2 ? Array.isArray(expected) && expected.length === 0 : isTruthValue(expected)
  if (comparesTruth) return (property) => isTrue(expected) === isTrue(property)
  return (property) => {
    let firstError: unknown
    for (const element of elements)
      try {
        if (equal(element, property, context)) return true
      } catch (error) {
        if (elements.length > 1 && context.deviations.has('every integer is inconclusive')) throw error
        firstError ??= error
      }
    if (firstError) throw firstError
    return false
  }
}

/** A boolean, a string that names one, or a list of nothing else. */
const isTruthValue = (value: Json): boolean =>
  typeof value === 'boolean' ||
  (typeof value === 'string' && /^(true|false)$/iu.test(value)) ||
  (Array.isArray(value) && value.every(isTruthValue))

const isTrue = (value: Json): boolean =>
  value === true ||
  (typeof value === 'string' && value.toLowerCase() === 'true') ||
  (Array.isArray(value) && value.every(isTrue))

/**
 * Compares printed values. `JSON.parse` loses whether 1 was written 1 or 1.0, and the service prints these differently, so next to
 * a string the result is unknown. Between two numbers the printed form does not matter.
 */
const equal = (expected: Json, property: Json, { complete, deviations }: RuleContext): boolean => {
  if (!complete) {
    const [first, second] = typeof expected === 'string' ? [expected, property] : [property, expected]
    const canBeEqual = typeof second === 'number' ? first !== '' && Number(first) === second : true
    if (typeof first === 'string' && typeof second !== 'string' && hasInteger(second) && canBeEqual)
      throwMissingContext()
    const withInteger =
      (hasInteger(expected) || hasInteger(property)) && (typeof property !== 'number' || !isTruthValue(expected))
    if (withInteger && deviations.has('every integer is inconclusive')) throwMissingContext()
  }
  return printJson(expected).toLowerCase() === printJson(property).toLowerCase()
}

const hasInteger = (value: Json): boolean =>
  typeof value === 'object' && value !== null ? Object.values(value).some(hasInteger) : Number.isInteger(value)
