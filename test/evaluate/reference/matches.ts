import type { PropertyFilter } from '../../../src/wire/definition.ts'
import type { JsonObject } from '../../../src/wire/json.ts'
import { createDateRule } from './date.ts'
import { NO_DEVIATIONS } from './deviation.ts'
import { exact } from './equality.ts'
import { between, createComparisonRule } from './number.ts'
import { UnknownError, throwMissingContext, throwUnsupported } from './unknown.ts'
import type { Unknown } from './unknown.ts'
import { isSupportedPattern, regex } from './regex.ts'
import { negate } from './rule.ts'
import type { RuleContext, Rule } from './rule.ts'
import { contains, containsAny, endsWith, startsWith } from './substring.ts'
import { caret, tilde, createVersionRule, wildcard } from './version.ts'

/** Whether the subject's property matches the filter. */
export const matches = (filter: PropertyFilter, properties: JsonObject, context: RuleContext): boolean | Unknown => {
  const { complete, deviations } = context
  const operator = filter.operator ?? 'exact'
  const property = Object.hasOwn(properties, filter.key) ? properties[filter.key] : undefined
  try {
    const isNullMismatch = property === null && !PRINTS_NULL.test(operator)
    const isNullMismatchFirst = isNullMismatch || (property === null && SERVICE_ONLY.has(operator))
    if (isNullMismatchFirst && deviations.has('null fails an unknown operator')) return false
    if (!complete && SERVICE_ONLY.has(operator)) return throwUnsupported()
    const rule = Object.hasOwn(rules, operator) ? rules[operator]! : throwUnsupported()
    if (operator === 'is_set' || operator === 'is_not_set')
      return property === undefined && !complete
        ? throwMissingContext()
        : (property !== undefined) === (operator === 'is_set')
    const test = isNullMismatch && !COMPARES_ORDER.test(operator) ? () => false : rule(filter.value ?? null, context)
    if (property === undefined)
      return complete ? operator === 'is_not' || operator.startsWith('not_') : throwMissingContext()
    return isNullMismatch ? false : test(property)
  } catch (error) {
    if (error instanceof UnknownError) return error.unknown
    throw error
  }
}

/** Whether a filter is unsupported outside the service, whatever the property. */
export const isUnsupported = (filter: PropertyFilter, version: number | null | undefined): boolean => {
  const operator = filter.operator ?? 'exact'
  const expected = filter.value ?? null
  if (SERVICE_ONLY.has(operator) || !Object.hasOwn(rules, operator)) return true
  const context: RuleContext = { complete: false, now: 0, version: version ?? undefined, deviations: NO_DEVIATIONS }
  if (operator.endsWith('regex')) return !isSupportedPattern(expected)
  try {
    rules[operator]!(expected, context)
    return false
  } catch (error) {
    if (error instanceof UnknownError) return true
    throw error
  }
}

/** Operators that print null as "null" or ignore the value; for all others null is no match. */
const PRINTS_NULL = /^(exact|is_not|is_set|is_not_set|(not_)?(icontains|starts_with|ends_with|regex|icontains_multi))$/u

/** Operators whose filter value can be unsupported. */
const COMPARES_ORDER = /^[gl]te?$/u

/** Operators that clients do not have. */
const SERVICE_ONLY: ReadonlySet<string> = new Set([
  'between',
  'not_between',
  'icontains_multi',
  'not_icontains_multi',
  'is_date_exact',
])

const always: Rule = () => () => true

const rules: Readonly<Record<string, Rule>> = {
  exact,
  is_not: negate(exact),
  is_set: always,
  is_not_set: always,
  icontains: contains,
  not_icontains: negate(contains),
  icontains_multi: containsAny,
  not_icontains_multi: negate(containsAny),
  starts_with: startsWith,
  not_starts_with: negate(startsWith),
  ends_with: endsWith,
  not_ends_with: negate(endsWith),
  regex: regex(true),
  not_regex: regex(false),
  gt: createComparisonRule((order) => order > 0),
  gte: createComparisonRule((order) => order >= 0),
  lt: createComparisonRule((order) => order < 0),
  lte: createComparisonRule((order) => order <= 0),
  between: between(true),
  not_between: between(false),
  is_date_before: createDateRule((time, limit) => time < limit),
  is_date_after: createDateRule((time, limit) => time > limit),
  is_date_exact: createDateRule((time, limit) => time === limit),
  semver_eq: createVersionRule((order) => order === 0),
  semver_neq: createVersionRule((order) => order !== 0),
  semver_gt: createVersionRule((order) => order > 0),
  semver_gte: createVersionRule((order) => order >= 0),
  semver_lt: createVersionRule((order) => order < 0),
  semver_lte: createVersionRule((order) => order <= 0),
  semver_tilde: tilde,
  semver_caret: caret,
  semver_wildcard: wildcard,
}
