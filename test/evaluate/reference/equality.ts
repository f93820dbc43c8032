import type { Json } from '../../../src/wire/json.ts'
import { throwMissingContext } from './unknown.ts'
import { printJson } from './rule.ts'
import type { RuleContext, Rule } from './rule.ts'

/** `exact`: matches if the property equals the filter value, or one of its elements. */
export const exact: Rule = (expected, context) => {
  const elements = Array.isArray(expected) ? expected : [expected]
  const comparesBooleans =
    context.version === 2 ? Array.isArray(expected) && expected.length === 0 : isBooleanLike(expected)
  if (comparesBooleans) return (property) => isTrue(expected) === isTrue(property)
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

/** Whether a value is a boolean, the string `true` or `false`, or a list of such values only. */
const isBooleanLike = (value: Json): boolean =>
  typeof value === 'boolean' ||
  (typeof value === 'string' && /^(true|false)$/iu.test(value)) ||
  (Array.isArray(value) && value.every(isBooleanLike))

const isTrue = (value: Json): boolean =>
  value === true ||
  (typeof value === 'string' && value.toLowerCase() === 'true') ||
  (Array.isArray(value) && value.every(isTrue))

/**
 * Compares printed values. The service prints 1 and 1.0 differently, but `JSON.parse` makes them equal. A comparison with a
 * string is therefore unknown outside the service. Between two numbers the printed form does not matter.
 */
const equal = (expected: Json, property: Json, { complete, deviations }: RuleContext): boolean => {
  if (!complete) {
    const [first, second] = typeof expected === 'string' ? [expected, property] : [property, expected]
    const canBeEqual = typeof second === 'number' ? first !== '' && Number(first) === second : true
    if (typeof first === 'string' && typeof second !== 'string' && hasInteger(second) && canBeEqual)
      throwMissingContext()
    const comparesInteger =
      (hasInteger(expected) || hasInteger(property)) && (typeof property !== 'number' || !isBooleanLike(expected))
    if (comparesInteger && deviations.has('every integer is inconclusive')) throwMissingContext()
  }
  return printJson(expected).toLowerCase() === printJson(property).toLowerCase()
}

const hasInteger = (value: Json): boolean =>
  typeof value === 'object' && value !== null ? Object.values(value).some(hasInteger) : Number.isInteger(value)
