import { compile } from '../../../evaluate/compile.ts'
import type { CohortDefinition } from '../../../wire/definition.ts'
import { isRecord } from '../../../wire/json.ts'
import type { Json } from '../../../wire/json.ts'
import type { NewCohort } from '../../store/metadata/cohorts.ts'
import {
  checkBooleans,
  parseDefinitionObject,
  isAbsent,
  omitNulls,
  parseArray,
  checkThat,
  parseObject,
} from './check.ts'
import { isNonEmptyString } from '../../../wire/is-non-empty-string.ts'
import { createEvaluationError } from './definition-error.ts'
import { parseFilter } from './parse-filter.ts'
import { findCohortReferences } from './references.ts'
import { CHECKED_FLAG_KEY, createPlaceholders } from './placeholders.ts'

/** Longest name, in characters. */
const MAX_NAME_LENGTH = 400
/** Deepest nesting of groups of filters. */
const MAX_GROUP_NESTING = 20

const parseEntry = (input: Json, path: string, level: number): Json => {
  if (!isRecord(input) || (input['values'] === undefined && input['key'] !== undefined)) return parseFilter(input, path)
  checkThat(level <= MAX_GROUP_NESTING, path, `is nested in more than ${MAX_GROUP_NESTING} levels of groups`)
  const { type, values } = input
  checkThat(type === 'AND' || type === 'OR' || type === 'property', `${path}.type`, 'must be "AND" or "OR"')
  const list = parseArray(values, `${path}.values`)
  return { ...input, values: list.map((each, index) => parseEntry(each, `${path}.values[${index}]`, level + 1)) }
}

/** Why the engine cannot evaluate a cohort, or undefined. Flags and cohorts that it refers to are assumed to exist. */
const findCohortProblem = (properties: CohortDefinition): string | undefined => {
  const { flags: others, cohorts } = createPlaceholders(findCohortReferences(properties))
  const filter = { key: 'id', type: 'cohort', value: 0 }
  const flag = { id: 0, key: CHECKED_FLAG_KEY, active: true, filters: { groups: [{ properties: [filter] }] } }
  const { flags } = compile({ flags: [...others, flag], cohorts: { ...cohorts, 0: properties } })
  return flags.get(CHECKED_FLAG_KEY)?.problems[0]
}

/**
 * Checks the definition of a cohort. The service sets id, version, timestamps and warnings, so those in the input are dropped. Unknown
 * fields are kept.
 *
 * @throws DefinitionError for a cohort that cannot be stored or evaluated.
 */
export const parseCohort = (input: Json): NewCohort => {
  const rest = parseDefinitionObject(input, 'a cohort')
  const fields = omitNulls(rest, ['deleted'])
  const { name, description, is_static: isStatic } = fields
  checkThat(
    isNonEmptyString(name) && name.length <= MAX_NAME_LENGTH,
    'name',
    `must be a string of 1 to ${MAX_NAME_LENGTH} characters`,
  )
  checkThat(isAbsent(description) || typeof description === 'string', 'description', 'must be a string')
  checkThat(
    isStatic !== true,
    'is_static',
    'cannot be true: cohorts are defined by conditions, not by a list of persons',
  )
  checkBooleans(fields, ['deleted'])
  const filters = parseObject(fields['filters'], 'filters')
  const properties = parseObject(filters['properties'], 'filters.properties')
  const isUnconditional = Object.keys(properties).length === 0
  const parsed = isUnconditional
    ? {}
    : parseEntry({ ...properties, values: properties['values'] ?? null }, 'filters.properties', 1)
  // Every field of the type was checked above.
  const cohort = { ...fields, filters: { ...filters, properties: parsed } } as unknown as NewCohort
  const problem = findCohortProblem(cohort.filters.properties)
  if (problem !== undefined) throw createEvaluationError(problem, 'filters.properties')
  return cohort
}
