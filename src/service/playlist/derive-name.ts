import { isRecord } from '../../wire/json.ts'
import type { Json, JsonObject } from '../../wire/json.ts'
import { isNonEmptyString } from '../../wire/is-non-empty-string.ts'

/** Longest derived name, in characters. */
const MAX_LENGTH = 400

const OPERATOR_WORDS: Readonly<Record<string, string>> = {
  exact: '=',
  is_not: '≠',
  icontains: 'contains',
  not_icontains: 'does not contain',
  regex: 'matches',
  not_regex: 'does not match',
  gt: '>',
  gte: '≥',
  lt: '<',
  lte: '≤',
  is_set: 'is set',
  is_not_set: 'is not set',
  is_date_before: 'before',
  is_date_after: 'after',
}

const UNITS: Readonly<Record<string, string>> = {
  M: 'minute',
  h: 'hour',
  d: 'day',
  w: 'week',
  m: 'month',
  q: 'quarter',
  y: 'year',
}

const asList = (value: Json | undefined): readonly Json[] => (Array.isArray(value) ? value : [])

const describeValue = (value: Json, conjunction = ' or '): string =>
  Array.isArray(value)
    ? value.map((each) => describeValue(each)).join(conjunction)
    : typeof value === 'string'
      ? value
      : JSON.stringify(value)

const describeProperty = ({ key, operator, value, type, cohort_name: cohort }: JsonObject): string => {
  if (type === 'cohort')
    return `${operator === 'not_in' ? 'not ' : ''}in cohort ${typeof cohort === 'string' ? cohort : describeValue(value ?? null)}`
  const name = typeof operator === 'string' ? operator : 'exact'
  const words = Object.hasOwn(OPERATOR_WORDS, name) ? OPERATOR_WORDS[name]! : name.replaceAll('_', ' ')
  const property = describeValue(key ?? '')
  if (name.endsWith('_set')) return `${property} ${words}`
  // The expression of a `hogql` filter stands alone.
  if (value === undefined || value === null) return property
  return `${property} ${words} ${describeValue(value, name.endsWith('between') ? ' and ' : ' or ')}`
}

const describeFilter = (filter: JsonObject): string => {
  const words = describeProperty(filter)
  return filter['negation'] === true ? `not (${words})` : words
}

const describeEvent = ({ id, name, properties }: JsonObject): string => {
  const event = isNonEmptyString(name) ? name : typeof id === 'string' ? id : 'any event'
  const conditions = asList(properties).map(describeEntry).filter(Boolean)
  return conditions.length > 0 ? `${event} (${conditions.join(', ')})` : event
}

const describeEntry = (input: Json): string => {
  if (!isRecord(input)) return ''
  const { type, values, key } = input
  if (Array.isArray(values)) {
    const parts = values.map(describeEntry).filter(Boolean)
    return parts.join(type === 'OR' ? ' or ' : ' and ')
  }
  if (type === 'events' || type === 'actions') return describeEvent(input)
  return key === undefined ? '' : describeFilter(input)
}

const describeRange = ({ date_from: from, date_to: to }: JsonObject): string => {
  const [, count, unit] = (typeof from === 'string' && /^-(\d+)([Mhdwmqy])$/.exec(from)) || []
  if (count !== undefined && !to) return `last ${count} ${UNITS[unit!]!}${count === '1' ? '' : 's'}`
  const bounds = [from && from !== 'all' ? `from ${describeValue(from)}` : '', to ? `until ${describeValue(to)}` : '']
  return bounds.filter(Boolean).join(' ')
}

/**
 * Derives the name of a playlist from its filters, for example `$pageview and plan = pro (last 3 days)`. Without filters the
 * name is `All sessions`.
 */
export const deriveName = (filters: JsonObject): string => {
  const { filter_group: group, events, actions, properties, duration } = filters
  const parts = [
    ...[...asList(events), ...asList(actions), ...asList(properties), group ?? null].map(describeEntry),
    ...asList(duration).map((each) => (isRecord(each) ? `${describeProperty(each)} s` : '')),
  ].filter(Boolean)
  const range = describeRange(filters)
  const name = `${parts.length > 0 ? parts.join(' and ') : 'All sessions'}${range && ` (${range})`}`
  return name.length <= MAX_LENGTH ? name : `${name.slice(0, MAX_LENGTH - 1)}…`
}
