import type { Json } from '../../wire/json.ts'
import { printOnce } from '../work-budget.ts'

/** Whether a property matches; undefined when this evaluator cannot decide. */
export type OperatorResult = boolean | undefined

/** Matching rules of a whole set of definitions. */
export interface MatchingRules {
  /** 2: `exact` and `is_not` compare strings. Any other value: a boolean filter value compares truthiness. */
  readonly propertyMatchingVersion?: number | undefined
}

/** What an operator can read besides the property. */
export interface OperatorContext {
  /** True in the service: there only a pattern search can be inconclusive. */
  readonly complete: boolean
  /** Milliseconds since 1970; relative dates count from here. */
  readonly now: number
}

/** An operator with its filter value built in. */
export interface Operator {
  /** @param property Never undefined. */
  readonly test: (property: Json, context: OperatorContext) => OperatorResult
  /** The result when the property is absent and all properties are known. */
  readonly ifAbsent: boolean
  /** The operator tests only the key: a property with the value undefined is present. */
  readonly presenceOnly?: boolean | undefined
  /** Outside the service the result is always undefined. */
  readonly serviceOnly?: boolean | undefined
  /** Program size of its pattern in cells (see `compilePattern`); the total of one flag is limited. */
  readonly programSize?: number | undefined
  /** How often a test reads the property; default 1. */
  readonly comparisons?: number | undefined
  /** Takes the work of the last test besides reading the property once, in units of the work budget. */
  readonly takeWork?: (() => number) | undefined
  /** Why no property can match this filter value; shown to the author of the definition. */
  readonly problem?: string | undefined
}

/** Creates an operator for a filter value, once per definition. Returns the reason as a string when the value is not supported. */
export type OperatorFactory = (value: Json, rules: MatchingRules) => Operator | string

/** A JSON replacer that sorts the keys of objects, as the protocol's services do. */
const sortKeys = (_key: string, value: Json): Json =>
  value !== null && typeof value === 'object' && !Array.isArray(value)
    ? Object.fromEntries(Object.entries(value).sort(([first], [second]) => (first < second ? -1 : 1)))
    : value

/**
 * Prints a value for comparison as the protocol's services do: strings unchanged, everything else as JSON with sorted keys.
 * Undefined for a value that JSON cannot represent, such as an object that contains itself.
 */
export const toComparableString = (value: Json): string | undefined => {
  if (typeof value === 'string') return value
  if (typeof value === 'number') return Number.isFinite(value) ? String(value) : 'null'
  if (typeof value !== 'object' || value === null) return String(value)
  try {
    // A round trip through JSON first: a date becomes a string, as it does when it is sent.
    const parsed: Json = JSON.parse(JSON.stringify(value))
    return typeof parsed === 'string' ? parsed : JSON.stringify(parsed, sortKeys)
  } catch {
    return undefined
  }
}

/** Prints a property for comparison (`toComparableString`): a list or an object once in an evaluation or request. */
export const printProperty = (property: Json): string | undefined =>
  typeof property === 'object' && property !== null
    ? printOnce(property, toComparableString as (value: object) => string | undefined)
    : toComparableString(property)

const mapOperator =
  (factory: OperatorFactory, map: (operator: Operator) => Operator): OperatorFactory =>
  (value, rules) => {
    const operator = factory(value, rules)
    return typeof operator === 'string' ? operator : map(operator)
  }

/** Inverts an operator's result, also the one for an absent property. */
export const negate = (factory: OperatorFactory): OperatorFactory =>
  mapOperator(factory, (operator) => ({
    ...operator,
    ifAbsent: !operator.ifAbsent,
    test: (property, context) => {
      const result = operator.test(property, context)
      return result === undefined ? undefined : !result
    },
  }))

/** Leaves an operator to the service, because the protocol's clients do not have it. */
export const makeServiceOnly = (factory: OperatorFactory): OperatorFactory =>
  mapOperator(factory, (operator) => ({
    ...operator,
    serviceOnly: true,
    test: (property, context) => (context.complete ? operator.test(property, context) : undefined),
  }))
