import { isRecord } from '../../../wire/json.ts'
import type { Json, JsonObject } from '../../../wire/json.ts'
import { combine, MATCH_ALL } from './condition.ts'
import type { Condition } from './condition.ts'
import type { FilterContext } from './filter-context.ts'
import { FilterError, UnsupportedFilterError } from './filter-error.ts'
import { parseProperty } from './parse-property.ts'

/** Deepest nesting of groups and cohorts inside each other. */
const MAX_DEPTH = 100

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
  depth = 0,
): Condition => {
  if (typeof id !== 'number' && typeof id !== 'string')
    throw new FilterError(`${path}.value`, 'must be the id of a cohort')
  if (operator !== undefined && operator !== null && operator !== 'in' && operator !== 'exact' && operator !== 'not_in')
    throw new FilterError(`${path}.operator`, 'must be "in" or "not_in" for a cohort')
  const definition = Object.hasOwn(context.cohorts, id) ? context.cohorts[id] : undefined
  if (definition === undefined)
    throw new FilterError(`${path}.value`, `refers to cohort ${id}, which does not exist in this project`)
  return parseNode(definition as Json, `cohort ${id}`, isNegated !== (operator === 'not_in'), context, depth + 1)
}

const parseNode = (input: Json, path: string, isNegated: boolean, context: FilterContext, depth: number): Condition => {
  if (depth > MAX_DEPTH) throw new FilterError(path, `is nested in more than ${MAX_DEPTH} groups and cohorts`)
  if (!isRecord(input)) throw new FilterError(path, 'must be an object')
  const { type, values, negation } = input
  if (Object.keys(input).length === 0) return isNegated ? { kind: 'any', conditions: [] } : MATCH_ALL
  if (values !== undefined || type === 'AND' || type === 'OR') {
    const conditions = (Array.isArray(values) ? (values as readonly Json[]) : []).map((each, index) =>
      parseNode(each, `${path}.values[${index}]`, isNegated, context, depth + 1),
    )
    return combine((type === 'OR') === isNegated ? 'all' : 'any', conditions)
  }
  const isLeafNegated = isNegated !== (negation === true)
  if (type === 'cohort') return parseCohortFilter(input, path, isLeafNegated, context, depth)
  if (type === 'flag')
    throw new UnsupportedFilterError(path, 'depends on a flag; queries can only use cohorts of properties')
  return parseProperty(input, { of: 'person' }, path, isLeafNegated, context)
}
