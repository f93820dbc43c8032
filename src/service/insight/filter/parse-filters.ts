import { isRecord } from '../../../wire/json.ts'
import type { Json, JsonObject } from '../../../wire/json.ts'
import { combine, EVENT_FIELDS, MATCH_ALL } from './condition.ts'
import type { Condition, EventField, PropertySource } from './condition.ts'
import type { FilterContext } from './filter-context.ts'
import { FilterError, UnsupportedFilterError } from './filter-error.ts'
import { parseCohortFilter } from './parse-cohort.ts'
import { parseGroupType } from './parse-group-type.ts'
import { parseProperty } from './parse-property.ts'

/** Deepest nesting of groups of filters. */
const MAX_NESTING = 20

/** Types of the protocol whose data is not among the events, or that are written in a language of their own. */
const OTHER_TYPES: ReadonlySet<string> = new Set([
  'session',
  'recording',
  'log_entry',
  'data_warehouse',
  'element',
  'hogql',
  'flag',
])

const TYPES = 'event, event_metadata, feature, person, group and cohort'

/**
 * Parses the property filters of a query: a list of filters that must all match, or a group `{type: 'AND' | 'OR', values}`
 * of filters and groups. An empty list, group or filter matches every event.
 *
 * A filter is `{key, type, operator, value}`, where the operators are those of flag filters and mean the same. Its type is
 * `event` (default), `feature` (event properties such as `$feature/beta`), `event_metadata` (`EVENT_FIELDS`), `person`,
 * `group` (with `group_type_index`) or `cohort` (with the id as `value`). `negation: true` inverts the result of one filter, as in
 * cohorts; where there is no result (an event without such a group), the event does not match either way.
 *
 * @param path Path of the input, for errors.
 * @throws FilterError
 */
export const parseFilters = (input: Json | undefined, path: string, context: FilterContext): Condition => {
  if (input === undefined || input === null) return MATCH_ALL
  if (Array.isArray(input))
    return combine(
      'all',
      input.map((each: Json, index) => parseEntry(each, `${path}[${index}]`, context, 1)),
    )
  return parseEntry(input, path, context, 1)
}

const parseEntry = (input: Json, path: string, context: FilterContext, depth: number): Condition => {
  if (!isRecord(input)) throw new FilterError(path, 'must be an object')
  if (Object.keys(input).length === 0) return MATCH_ALL
  const { type, values } = input
  if (type === 'AND' || type === 'OR' || values !== undefined) return parseGroup(input, path, context, depth)
  return parseFilter(input, path, context)
}

const parseGroup = ({ type, values }: JsonObject, path: string, context: FilterContext, depth: number): Condition => {
  if (type !== 'AND' && type !== 'OR') throw new FilterError(`${path}.type`, 'must be "AND" or "OR"')
  if (!Array.isArray(values)) throw new FilterError(`${path}.values`, 'must be an array')
  if (depth > MAX_NESTING) throw new FilterError(path, `is nested in more than ${MAX_NESTING} groups`)
  // Clients send an empty group when the user has chosen no filter.
  if (values.length === 0) return MATCH_ALL
  return combine(
    type === 'AND' ? 'all' : 'any',
    values.map((each: Json, index) => parseEntry(each, `${path}.values[${index}]`, context, depth + 1)),
  )
}

const parseFilter = (filter: JsonObject, path: string, context: FilterContext): Condition => {
  const isNegated = filter['negation'] === true
  return filter['type'] === 'cohort'
    ? parseCohortFilter(filter, path, isNegated, context)
    : parseProperty(filter, parseSource(filter, path, context), path, isNegated, context)
}

const parseSource = (
  { type, key, group_type_index: index }: JsonObject,
  path: string,
  context: FilterContext,
): PropertySource => {
  switch (type) {
    case undefined:
    case null:
    case 'event':
    case 'feature':
      return { of: 'event' }
    case 'person':
      return { of: 'person' }
    case 'event_metadata':
      if (EVENT_FIELDS.includes(key as EventField)) return { of: 'event_metadata' }
      throw new FilterError(`${path}.key`, `must be one of ${EVENT_FIELDS.join(', ')}`)
    case 'group':
      return { of: 'group', type: parseGroupType(index, `${path}.group_type_index`, context) }
    default: {
      const isProtocolType = typeof type === 'string' && OTHER_TYPES.has(type)
      const CreateError = isProtocolType ? UnsupportedFilterError : FilterError
      throw new CreateError(`${path}.type`, `must be one of ${TYPES}`)
    }
  }
}
