import type { PropertyFilter } from '../../../src/wire/definition.ts'
import type { JsonObject } from '../../../src/wire/json.ts'
import { dated } from './date.ts'
import { byTheRules } from './deviation.ts'
import { exact } from './equality.ts'
import { between, compared } from './number.ts'
import { Unreadable, unsuited, unsupported } from './open.ts'
import type { Open } from './open.ts'
import { isRun, regex } from './regex.ts'
import { negated } from './rule.ts'
import type { Knowledge, Rule } from './rule.ts'
import { contains, containsAny, ends, starts } from './text.ts'
import { caret, tilde, versionOrder, wildcard } from './version.ts'

/** Whether the property of this subject is what the filter asks for. */
export const matches = (filter: PropertyFilter, properties: JsonObject, knowledge: Knowledge): boolean | Open => {
  const { complete, deviations } = knowledge
  const operator = filter.operator ?? 'exact'
  const given = Object.hasOwn(properties, filter.key) ? properties[filter.key] : undefined
  try {
    const nullFails = given === null && !nullIsText.test(operator)
    const nullFirst = nullFails || (given === null && serviceOnly.has(operator))
    if (nullFirst && deviations.has('null fails an unknown operator')) return false
    if (!complete && serviceOnly.has(operator)) return unsupported()
    const rule = Object.hasOwn(rules, operator) ? rules[operator]! : unsupported()
    if (operator === 'is_set' || operator === 'is_not_set')
      return given === undefined && !complete ? unsuited() : (given !== undefined) === (operator === 'is_set')
    const test = nullFails && !orders.test(operator) ? () => false : rule(filter.value ?? null, knowledge)
    if (given === undefined) return complete ? operator === 'is_not' || operator.startsWith('not_') : unsuited()
    return nullFails ? false : test(given)
  } catch (error) {
    if (error instanceof Unreadable) return error.open
    throw error
  }
}

/** Whether a filter cannot be run away from the service, whatever the property. */
export const isUnsupported = (filter: PropertyFilter, version: number | null | undefined): boolean => {
  const operator = filter.operator ?? 'exact'
  const wanted = filter.value ?? null
  if (serviceOnly.has(operator) || !Object.hasOwn(rules, operator)) return true
  const knowledge: Knowledge = { complete: false, now: 0, version: version ?? undefined, deviations: byTheRules }
  if (operator.endsWith('regex')) return !isRun(wanted)
  try {
    rules[operator]!(wanted, knowledge)
    return false
  } catch (error) {
    if (error instanceof Unreadable) return true
    throw error
  }
}

/** Operators that read null as the text "null", or do not look; for all others null is no match. */
const nullIsText = /^(exact|is_not|is_set|is_not_set|(not_)?(icontains|starts_with|ends_with|regex|icontains_multi))$/u

/** Operators whose value can be one that is not supported, whatever the property. */
const orders = /^[gl]te?$/u

/** No client knows them. */
const serviceOnly: ReadonlySet<string> = new Set([
  'between',
  'not_between',
  'icontains_multi',
  'not_icontains_multi',
  'is_date_exact',
])

const present: Rule = () => () => true

const rules: Readonly<Record<string, Rule>> = {
  exact,
  is_not: negated(exact),
  is_set: present,
  is_not_set: present,
  icontains: contains,
  not_icontains: negated(contains),
  icontains_multi: containsAny,
  not_icontains_multi: negated(containsAny),
  starts_with: starts,
  not_starts_with: negated(starts),
  ends_with: ends,
  not_ends_with: negated(ends),
  regex: regex(true),
  not_regex: regex(false),
  gt: compared((order) => order > 0),
  gte: compared((order) => order >= 0),
  lt: compared((order) => order < 0),
  lte: compared((order) => order <= 0),
  between: between(true),
  not_between: between(false),
  is_date_before: dated((given, limit) => given < limit),
  is_date_after: dated((given, limit) => given > limit),
  is_date_exact: dated((given, limit) => given === limit),
  semver_eq: versionOrder((order) => order === 0),
  semver_neq: versionOrder((order) => order !== 0),
  semver_gt: versionOrder((order) => order > 0),
  semver_gte: versionOrder((order) => order >= 0),
  semver_lt: versionOrder((order) => order < 0),
  semver_lte: versionOrder((order) => order <= 0),
  semver_tilde: tilde,
  semver_caret: caret,
  semver_wildcard: wildcard,
}
