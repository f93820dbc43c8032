import type { Json } from '../../../src/wire/json.ts'
import type { Deviations } from './deviation.ts'

/** What a rule can read besides the filter value and the property. */
export interface RuleContext {
  /** True for the service. */
  readonly complete: boolean
  /** Milliseconds since 1970. */
  readonly now: number
  /** `property_matching_version` of the definitions. */
  readonly version: number | undefined
  readonly deviations: Deviations
}

/** Tests the value of a property that is not absent. Throws `UnknownError` when the result is unknown. */
export type Test = (property: Json) => boolean

/** Creates the test of a property from a filter value. Throws `UnknownError` when the filter value is not supported. */
export type Rule = (expected: Json, context: RuleContext) => Test

/** Inverts a rule. An unknown result stays unknown. */
export const negate =
  (rule: Rule): Rule =>
  (expected, context) => {
    const test = rule(expected, context)
    return (property) => !test(property)
  }

/** Prints JSON with sorted keys; strings are unchanged. */
export const printJson = (value: Json): string => {
  if (typeof value === 'string') return value
  return JSON.stringify(value, (_, node: unknown) =>
    typeof node === 'object' && node !== null && !Array.isArray(node)
      ? Object.fromEntries(Object.entries(node).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : node,
  )
}

/** `String` with a type that also accepts objects. */
const toDefaultString: (value: unknown) => string = String

/** Prints a value for comparison. */
export const toComparableString = (value: Json, { deviations }: RuleContext): string =>
  typeof value === 'object' && value !== null && deviations.has('String() prints lists and objects')
    ? toDefaultString(value)
    : printJson(value)
