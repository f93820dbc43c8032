import { isRecord } from '../../../wire/json.ts'
import type { Json, JsonObject } from '../../../wire/json.ts'
import { combine, MATCH_ALL } from './condition.ts'
import type { CohortCondition, Condition } from './condition.ts'
import type { FilterContext } from './filter-context.ts'
import { FilterError, UnsupportedFilterError } from './filter-error.ts'
import { parseProperty } from './parse-property.ts'

/** Deepest nesting of groups and cohorts inside each other. */
const MAX_DEPTH = 100

/** The cohorts that were parsed, by `in` or `not_in` and their id; null while one is parsed. */
type ParsedCohorts = Map<string, CohortCondition | null>

/** A query parses each cohort once: cohorts that name others twice would otherwise double the work with each one. */
const parsedByContext = new WeakMap<FilterContext, ParsedCohorts>()

const getParsedCohorts = (context: FilterContext): ParsedCohorts => {
  const parsed = parsedByContext.get(context) ?? (new Map() as ParsedCohorts)
  parsedByContext.set(context, parsed)
  return parsed
}

/**
 * Parses a filter on membership of the event's person in a cohort: the conditions of the cohort, or their negation. As in flags,
 * every property that a cohort names is one of the person.
 *
 * @throws FilterError
 */
export const parseCohortFilter = (
  { value: id, operator }: JsonObject,
  path: string,
  isNegated: boolean,
  context: FilterContext,
  level = 0,
): CohortCondition => {
  if (typeof id !== 'number' && typeof id !== 'string')
    throw new FilterError(`${path}.value`, 'must be the id of a cohort')
  if (operator !== undefined && operator !== null && operator !== 'in' && operator !== 'exact' && operator !== 'not_in')
    throw new FilterError(`${path}.operator`, 'must be "in" or "not_in" for a cohort')
  const definition = Object.hasOwn(context.cohorts, id) ? context.cohorts[id] : undefined
  if (definition === undefined)
    throw new FilterError(`${path}.value`, `refers to cohort ${id}, which does not exist in this project`)
  const isOutside = isNegated !== (operator === 'not_in')
  const key = `${isOutside ? 'not_in' : 'in'} ${id}`
  const parsed = getParsedCohorts(context)
  const known = parsed.get(key)
  if (known === null) throw new FilterError(`${path}.value`, `refers to cohort ${id}, which contains itself`)
  if (known) {
    checkLevel(level + known.depth, path)
    return known
  }
  parsed.set(key, null)
  try {
    const { condition, depth } = parseNode(definition as Json, `cohort ${id}`, isOutside, context, level + 1)
    const cohort = { kind: 'cohort', condition, depth: depth + 1 } as const
    parsed.set(key, cohort)
    return cohort
  } finally {
    if (parsed.get(key) === null) parsed.delete(key)
  }
}

const checkLevel = (level: number, path: string): void => {
  if (level > MAX_DEPTH) throw new FilterError(path, `is nested in more than ${MAX_DEPTH} groups and cohorts`)
}

/** A condition, and how many groups and cohorts are nested in it. */
interface Nested {
  readonly condition: Condition
  readonly depth: number
}

const parseNode = (input: Json, path: string, isNegated: boolean, context: FilterContext, level: number): Nested => {
  checkLevel(level, path)
  if (!isRecord(input)) throw new FilterError(path, 'must be an object')
  const { type, values, negation } = input
  if (Object.keys(input).length === 0)
    return { condition: isNegated ? { kind: 'any', conditions: [] } : MATCH_ALL, depth: 0 }
  if (values !== undefined || type === 'AND' || type === 'OR') {
    const parts = (Array.isArray(values) ? (values as readonly Json[]) : []).map((each, index) =>
      parseNode(each, `${path}.values[${index}]`, isNegated, context, level + 1),
    )
    const conditions = parts.map(({ condition }) => condition)
    return {
      condition: combine((type === 'OR') === isNegated ? 'all' : 'any', conditions),
      depth: parts.reduce((deepest, { depth }) => Math.max(deepest, depth + 1), 0),
    }
  }
  const isLeafNegated = isNegated !== (negation === true)
  if (type === 'cohort') {
    const condition = parseCohortFilter(input, path, isLeafNegated, context, level)
    return { condition, depth: condition.depth }
  }
  if (type === 'flag')
    throw new UnsupportedFilterError(path, 'depends on a flag; queries can only use cohorts of properties')
  return { condition: parseProperty(input, { of: 'person' }, path, isLeafNegated, context), depth: 0 }
}
