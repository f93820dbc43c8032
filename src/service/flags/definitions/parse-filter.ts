import { isPattern } from '../../../evaluate/operators/regex.ts'
import type { Json, JsonObject } from '../../../wire/json.ts'
import { isAbsent, isText, must, recordAt, textAt } from './check.ts'

/** Operators that look at presence alone and need no value. */
const WITHOUT_VALUE = new Set<Json | undefined>(['is_set', 'is_not_set'])
const SEARCHES = new Set<Json | undefined>(['regex', 'not_regex'])
const COHORT_OPERATORS = new Set<Json | undefined>(['in', 'exact', 'not_in'])

const checkProperty = ({ operator, value }: JsonObject, at: string): void => {
  must(isAbsent(operator) || isText(operator), `${at}.operator`, 'must be a text')
  must(value !== undefined || WITHOUT_VALUE.has(operator), `${at}.value`, 'is missing')
  // Evaluated, such a pattern matches nobody, which whoever wrote it would hardly notice.
  must(!SEARCHES.has(operator) || isPattern(value), `${at}.value`, 'is no regular expression')
}

const checkCohort = ({ operator, value }: JsonObject, at: string): void => {
  must(isAbsent(operator) || COHORT_OPERATORS.has(operator), `${at}.operator`, 'must be "in" or "not_in" for a cohort')
  const isId = (typeof value === 'number' || typeof value === 'string') && /^[1-9]\d*$/.test(String(value))
  must(isId, `${at}.value`, 'must be the id of a cohort')
}

const checkFlag = ({ operator, value }: JsonObject, at: string): void => {
  must(
    isAbsent(operator) || operator === 'flag_evaluates_to',
    `${at}.operator`,
    'must be "flag_evaluates_to" for a flag',
  )
  must(typeof value === 'boolean' || isText(value), `${at}.value`, 'must be true, false or the key of a variant')
}

const CHECKS: Readonly<Record<string, typeof checkProperty>> = {
  person: checkProperty,
  group: checkProperty,
  cohort: checkCohort,
  flag: checkFlag,
}

/**
 * Checks one condition on a property, a cohort or a flag; whether the cohort or flag is there is not looked at.
 *
 * @returns The condition without its `dependency_chain`, which only the service says.
 * @throws DefinitionError
 */
export const parseFilter = (given: Json, at: string): JsonObject => {
  const { dependency_chain: _chain, ...filter } = recordAt(given, at)
  textAt(filter['key'], `${at}.key`)
  const { type, negation } = filter
  const name = isAbsent(type) ? 'person' : type
  const check = typeof name === 'string' && Object.hasOwn(CHECKS, name) ? CHECKS[name] : undefined
  must(check !== undefined, `${at}.type`, `must be one of ${Object.keys(CHECKS).join(', ')}`)
  must(isAbsent(negation) || typeof negation === 'boolean', `${at}.negation`, 'must be true or false')
  check?.(filter, at)
  return filter
}
