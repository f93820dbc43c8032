import { readProperty } from '../insight/filter/sql/property-sql.ts'
import { quoteIdentifier, quoteString } from '../sql/quote.ts'
import { isOfPersons } from './is-of-persons.ts'
import type { Filter, Measure, Property, Question } from './question.ts'

/** Writes a question as one SELECT, with a line for each clause. */
export const writeSelect = (question: Question): string => {
  const { measure, event, period, interval, filters, breakdown, limit } = question
  const measureName = MEASURE_NAMES[measure.kind]
  const items = [
    ...(interval === null ? [] : [`${writeInterval(interval)} AS ${quoteIdentifier(interval)}`]),
    ...(breakdown === null
      ? []
      : [`${writeProperty(breakdown)} AS ${nameColumn(breakdown, [interval ?? '', measureName])}`]),
    `${writeMeasure(measure)} AS ${quoteIdentifier(measureName)}`,
  ]
  const properties = [...filters.map(({ property }) => property), ...(breakdown === null ? [] : [breakdown])]
  if ('property' in measure) properties.push(measure.property)
  const conditions = [
    ...(event === null ? [] : [`events.event = ${quoteString(event)}`]),
    ...(period === null || period.from === null ? [] : [`events.timestamp >= ${period.from}`]),
    ...(period === null || period.before === null ? [] : [`events.timestamp < ${period.before}`]),
    ...filters.map(writeFilter),
  ]
  const keys = items.slice(0, -1).map((_, index) => index + 1)
  const order = [
    ...(interval === null ? [] : ['1']),
    ...(breakdown === null ? [] : [`${items.length} DESC`, `${items.length - 1}`]),
  ]
  return [
    `SELECT ${items.join(',\n  ')}`,
    ...(isOfPersons(question) ? ['FROM persons'] : writeSource(properties)),
    ...(conditions.length === 0 ? [] : [`WHERE ${conditions.join('\n  AND ')}`]),
    ...(keys.length === 0 ? [] : [`GROUP BY ${keys.join(', ')}`, `ORDER BY ${order.join(', ')}`]),
    ...(limit === null ? [] : [`LIMIT ${limit}`]),
  ].join('\n')
}

const writeSource = (properties: readonly Property[]): readonly string[] =>
  properties.some(({ owner }) => owner === 'person')
    ? ['FROM events', 'LEFT JOIN persons ON persons.id = events.person_id']
    : ['FROM events']

const MEASURE_NAMES: Readonly<Record<Measure['kind'], string>> = {
  events: 'events',
  persons: 'persons',
  sum: 'total',
  average: 'average',
  median: 'median',
  maximum: 'maximum',
  minimum: 'minimum',
}

const AGGREGATES = { sum: 'sum', average: 'avg', median: 'median', maximum: 'max', minimum: 'min' } as const

const writeMeasure = (measure: Measure): string => {
  if (measure.kind === 'events') return 'count(*)'
  if (measure.kind === 'persons') return 'count(DISTINCT events.person_id)'
  return `${AGGREGATES[measure.kind]}(${writeNumber(measure.property)})`
}

const writeProperty = ({ name, owner }: Property): string =>
  owner === 'column' ? `events.${name}` : readProperty(`${owner}s.properties`, name).text

/** Values that are no numbers are left out. */
const writeNumber = (property: Property): string => `TRY_CAST(${writeProperty(property)} AS DOUBLE)`

const writeInterval = (interval: string): string => {
  const start = `date_trunc(${quoteString(interval)}, events.timestamp)`
  return interval === 'hour' || interval === 'minute' ? start : `${start}::DATE`
}

const nameColumn = ({ name, owner }: Property, taken: readonly string[]): string =>
  quoteIdentifier(taken.includes(name) ? `${owner} ${name}` : name)

const writeFilter = ({ property, operator, values }: Filter): string => {
  const text = writeProperty(property)
  const value = quoteString(values[0] ?? '')
  switch (operator) {
    case 'is':
      return values.length === 1 ? `${text} = ${value}` : `${text} IN (${values.map(quoteString).join(', ')})`
    // An event without the property does not have the value.
    case 'is_not':
      return values.length === 1
        ? `${text} IS DISTINCT FROM ${value}`
        : `coalesce(${text} NOT IN (${values.map(quoteString).join(', ')}), TRUE)`
    case 'contains':
      return `contains(lower(${text}), lower(${value}))`
    case 'contains_not':
      return `coalesce(NOT contains(lower(${text}), lower(${value})), TRUE)`
    case 'starts_with':
      return `starts_with(lower(${text}), lower(${value}))`
    case 'ends_with':
      return `suffix(lower(${text}), lower(${value}))`
    case 'set':
      return `${text} IS NOT NULL`
    case 'not_set':
      return `${text} IS NULL`
    default:
      return `${writeNumber(property)} ${SIGNS[operator]} ${values[0]}`
  }
}

const SIGNS = { at_least: '>=', at_most: '<=', more_than: '>', less_than: '<' } as const
