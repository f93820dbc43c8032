import { compile } from '../../../evaluate/compile.ts'
import type { CohortDefinition } from '../../../wire/definition.ts'
import { isRecord } from '../../../wire/json.ts'
import type { Json } from '../../../wire/json.ts'
import type { NewCohort } from '../../store/metadata/cohorts.ts'
import { checkSwitches, definitionAt, isAbsent, isText, listAt, must, recordAt } from './check.ts'
import { evaluationError } from './definition-error.ts'
import { parseFilter } from './parse-filter.ts'
import { referencesOfCohort } from './references.ts'
import { PROBE, standIns } from './stand-ins.ts'

/** Longest name, in characters. */
const MAX_NAME_LENGTH = 400
/** Most groups of filters inside each other. */
const MOST_LEVELS = 20

const parseEntry = (given: Json, at: string, level: number): Json => {
  if (!isRecord(given) || (given['values'] === undefined && given['key'] !== undefined)) return parseFilter(given, at)
  must(level <= MOST_LEVELS, at, `is nested in more than ${MOST_LEVELS} levels`)
  const { type, values } = given
  must(type === 'AND' || type === 'OR' || type === 'property', `${at}.type`, 'must be "AND" or "OR"')
  const list = listAt(values, `${at}.values`)
  return { ...given, values: list.map((each, index) => parseEntry(each, `${at}.values[${index}]`, level + 1)) }
}

/** Why the engine cannot evaluate a cohort, or undefined. What it looks at is taken to be there. */
const cohortProblem = (properties: CohortDefinition): string | undefined => {
  const { flags: others, cohorts } = standIns(referencesOfCohort(properties))
  const filter = { key: 'id', type: 'cohort', value: 0 }
  const flag = { id: 0, key: PROBE, active: true, filters: { groups: [{ properties: [filter] }] } }
  const { flags } = compile({ flags: [...others, flag], cohorts: { ...cohorts, 0: properties } })
  return flags.get(PROBE)?.problems[0]
}

/**
 * Checks one cohort as somebody wrote it. id and version are the store's, so given ones are left out. Fields that are not
 * known stay.
 *
 * @throws DefinitionError for a cohort that cannot be stored or could not be evaluated.
 */
export const parseCohort = (given: Json): NewCohort => {
  const { id: _id, version: _version, created_at: _c, updated_at: _u, ...fields } = definitionAt(given, 'a cohort')
  const { name, description, is_static: isStatic } = fields
  must(isText(name) && name.length <= MAX_NAME_LENGTH, 'name', `must be a text of 1 to ${MAX_NAME_LENGTH} characters`)
  must(isAbsent(description) || typeof description === 'string', 'description', 'must be a text')
  must(isStatic !== true, 'is_static', 'cannot be true: a cohort is made of conditions, not of a list of persons')
  checkSwitches(fields, ['deleted'])
  const filters = recordAt(fields['filters'], 'filters')
  const properties = recordAt(filters['properties'], 'filters.properties')
  const isEverybody = Object.keys(properties).length === 0
  const parsed = isEverybody
    ? {}
    : parseEntry({ ...properties, values: properties['values'] ?? null }, 'filters.properties', 1)
  // Every field that the type names was looked at above.
  const cohort = { ...fields, filters: { ...filters, properties: parsed } } as unknown as NewCohort
  const problem = cohortProblem(cohort.filters.properties)
  if (problem !== undefined) throw evaluationError(problem, 'filters.properties')
  return cohort
}
