import { findInvalidPattern } from '../../../evaluate/operators/regex.ts'
import type { Json, JsonObject } from '../../../wire/json.ts'
import { isNonEmptyString } from '../../../wire/is-non-empty-string.ts'
import { isAbsent, checkThat, parseObject, parseString } from './check.ts'
import { DefinitionError } from './definition-error.ts'

/** Operators that only test whether a property exists and need no value. */
const OPERATORS_WITHOUT_VALUE = new Set<Json | undefined>(['is_set', 'is_not_set'])
const REGEX_OPERATORS = new Set<Json | undefined>(['regex', 'not_regex'])
const COHORT_OPERATORS = new Set<Json | undefined>(['in', 'exact', 'not_in'])

const checkProperty = ({ operator, value }: JsonObject, path: string): void => {
  checkThat(isAbsent(operator) || isNonEmptyString(operator), `${path}.operator`, 'must be a non-empty string')
  checkThat(value !== undefined || OPERATORS_WITHOUT_VALUE.has(operator), `${path}.value`, 'is missing')
  // An invalid pattern would match no person, and its author would hardly notice.
  const problem = REGEX_OPERATORS.has(operator) ? findInvalidPattern(value) : undefined
  if (problem !== undefined) throw new DefinitionError(`${path}.value`, problem)
}

const checkCohort = ({ operator, value }: JsonObject, path: string): void => {
  checkThat(
    isAbsent(operator) || COHORT_OPERATORS.has(operator),
    `${path}.operator`,
    'must be "in" or "not_in" for a cohort',
  )
  const isId = (typeof value === 'number' || typeof value === 'string') && /^[1-9]\d*$/.test(String(value))
  checkThat(isId, `${path}.value`, 'must be the id of a cohort')
}

const checkFlag = ({ operator, value }: JsonObject, path: string): void => {
  checkThat(
    isAbsent(operator) || operator === 'flag_evaluates_to',
    `${path}.operator`,
    'must be "flag_evaluates_to" for a flag',
  )
  checkThat(
    typeof value === 'boolean' || isNonEmptyString(value),
    `${path}.value`,
    'must be true, false or the key of a variant',
  )
}

const CHECKS: Readonly<Record<string, typeof checkProperty>> = {
  person: checkProperty,
  group: checkProperty,
  cohort: checkCohort,
  flag: checkFlag,
}

/**
 * Checks one condition on a property, a cohort or a flag. Whether that cohort or flag exists is not checked here.
 *
 * @returns The condition without its `dependency_chain`, which only the service sets.
 * @throws DefinitionError
 */
export const parseFilter = (input: Json, path: string): JsonObject => {
  const { dependency_chain: _chain, ...filter } = parseObject(input, path)
  parseString(filter['key'], `${path}.key`)
  const { type, negation } = filter
  const name = isAbsent(type) ? 'person' : type
  const check = typeof name === 'string' && Object.hasOwn(CHECKS, name) ? CHECKS[name] : undefined
  checkThat(check !== undefined, `${path}.type`, `must be one of ${Object.keys(CHECKS).join(', ')}`)
  checkThat(isAbsent(negation) || typeof negation === 'boolean', `${path}.negation`, 'must be true or false')
  check?.(filter, path)
  return filter
}
