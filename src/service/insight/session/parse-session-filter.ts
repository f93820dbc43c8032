import { isRecord } from '../../../wire/json.ts'
import type { Json, JsonObject } from '../../../wire/json.ts'
import { parseDateRange } from '../time/date-range.ts'
import type { Condition } from '../filter/condition.ts'
import { combine } from '../filter/condition.ts'
import type { FilterContext } from '../filter/filter-context.ts'
import { FilterError, UnsupportedFilterError } from '../filter/filter-error.ts'
import { parseFilters } from '../filter/parse-filters.ts'
import type { DurationCondition, SessionCondition, SessionFilter } from './session-filter.ts'

/** Deepest nesting of groups of conditions. */
const MAX_NESTING = 20

const SIGNS: Readonly<Record<string, DurationCondition['sign']>> = {
  gt: '>',
  gte: '>=',
  lt: '<',
  lte: '<=',
  exact: '=',
  is_not: '<>',
}

/**
 * Parses the filters of a playlist of sessions: `date_from`, `date_to`, `duration` and `filter_group`, a tree of property
 * filters and events `{id, name, type: 'events', properties}`. An older form has the lists `events` and `properties` instead
 * of the tree. A session matches a property filter or an event if one of its events does; the properties of an event must be
 * those of the same event. `order`, `order_direction` and `filter_test_accounts` do not change which sessions match.
 *
 * @param path Path of the input, for errors.
 * @throws FilterError for invalid input, `UnsupportedFilterError` for filters on what events do not tell.
 */
export const parseSessionFilter = (input: Json, path: string, context: FilterContext): SessionFilter => {
  if (!isRecord(input)) throw new FilterError(path, 'must be an object')
  const { filter_group: group, events, actions, properties, duration } = input
  const conditions = [
    ...parseList(group === undefined || group === null ? [] : [group], () => `${path}.filter_group`, context),
    ...parseList(toList(events, `${path}.events`), (index) => `${path}.events[${index}]`, context),
    ...parseList(toList(actions, `${path}.actions`), (index) => `${path}.actions[${index}]`, context),
    ...parseList(toList(properties, `${path}.properties`), (index) => `${path}.properties[${index}]`, context),
  ]
  return {
    range: parseDateRange(input, path, context),
    condition: { kind: 'all', conditions },
    durations: toList(duration, `${path}.duration`).map((each, index) =>
      parseDuration(each, `${path}.duration[${index}]`),
    ),
  }
}

const toList = (value: Json | undefined, path: string): readonly Json[] => {
  if (value === undefined || value === null) return []
  if (Array.isArray(value)) return value
  throw new FilterError(path, 'must be an array')
}

const parseList = (
  values: readonly Json[],
  pathOf: (index: number) => string,
  context: FilterContext,
  depth = 1,
): readonly SessionCondition[] => values.map((each, index) => parseEntry(each, pathOf(index), context, depth))

const parseEntry = (input: Json, path: string, context: FilterContext, depth: number): SessionCondition => {
  if (!isRecord(input)) throw new FilterError(path, 'must be an object')
  const { type, values, key } = input
  if (Object.keys(input).length === 0) return { kind: 'all', conditions: [] }
  if (type === 'actions') throw new UnsupportedFilterError(`${path}.type`, 'must be "events"; there are no actions')
  if (type === 'events' || (type === undefined && key === undefined && Object.hasOwn(input, 'id')))
    return { kind: 'some_event', condition: parseEvent(input, path, context) }
  if (type !== 'AND' && type !== 'OR' && values === undefined)
    return { kind: 'some_event', condition: parseFilters(input, path, context) }
  if (type !== 'AND' && type !== 'OR') throw new FilterError(`${path}.type`, 'must be "AND" or "OR"')
  if (!Array.isArray(values)) throw new FilterError(`${path}.values`, 'must be an array')
  if (depth > MAX_NESTING) throw new FilterError(path, `is nested in more than ${MAX_NESTING} groups`)
  // An empty group is one in which the user has chosen nothing.
  return {
    kind: type === 'AND' || values.length === 0 ? 'all' : 'any',
    conditions: parseList(values, (index) => `${path}.values[${index}]`, context, depth + 1),
  }
}

/** Parses an event: its name as `id`, null for all events, and conditions on its properties. */
const parseEvent = ({ id, properties }: JsonObject, path: string, context: FilterContext): Condition => {
  if (id !== undefined && id !== null && (typeof id !== 'string' || id === ''))
    throw new FilterError(`${path}.id`, 'must be the name of an event, or null for all events')
  const condition = parseFilters(properties, `${path}.properties`, context)
  return typeof id === 'string' ? combine('all', [{ kind: 'event_name', name: id }, condition]) : condition
}

const parseDuration = (input: Json, path: string): DurationCondition => {
  if (!isRecord(input)) throw new FilterError(path, 'must be an object')
  const { key, operator, value } = input
  if (key === 'active_seconds' || key === 'inactive_seconds')
    throw new UnsupportedFilterError(`${path}.key`, 'must be "duration"; events do not tell when a page was active')
  if (key !== 'duration') throw new FilterError(`${path}.key`, 'must be "duration"')
  const sign = typeof operator === 'string' && Object.hasOwn(SIGNS, operator) ? SIGNS[operator] : undefined
  if (sign === undefined) throw new FilterError(`${path}.operator`, `must be one of ${Object.keys(SIGNS).join(', ')}`)
  if (typeof value !== 'number' || !Number.isFinite(value) || value < 0)
    throw new FilterError(`${path}.value`, 'must be a number of seconds')
  return { sign, seconds: value }
}
