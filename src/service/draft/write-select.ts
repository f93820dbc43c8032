import type { DraftDialect } from './draft-dialect.ts'
import { isOfPersons } from './is-of-persons.ts'
import type { Filter, Interval, Measure, Property, Question, TimePoint } from './question.ts'

/** Writes a question as one SELECT, with a line for each clause. */
export const writeSelect = (question: Question, dialect: DraftDialect): string => {
  const { measure, event, period, interval, filters, breakdown, limit } = question
  const { quoteName, quoteString } = dialect
  const measureName = MEASURE_NAMES[measure.kind]
  const items = [
    ...(interval === null ? [] : [`${writeInterval(interval, dialect)} AS ${quoteName(interval)}`]),
    ...(breakdown === null
      ? []
      : [`${writeProperty(breakdown, dialect)} AS ${quoteName(nameColumn(breakdown, [interval ?? '', measureName]))}`]),
    `${writeMeasure(measure, dialect)} AS ${quoteName(measureName)}`,
  ]
  const properties = [...filters.map(({ property }) => property), ...(breakdown === null ? [] : [breakdown])]
  if ('property' in measure) properties.push(measure.property)
  const conditions = [
    ...(event === null ? [] : [`events.event = ${quoteString(event)}`]),
    ...(period === null || period.from === null ? [] : [`events.timestamp >= ${writeTime(period.from, dialect)}`]),
    ...(period === null || period.before === null ? [] : [`events.timestamp < ${writeTime(period.before, dialect)}`]),
    ...filters.map((filter) => writeFilter(filter, dialect)),
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

const AGGREGATES = { sum: 'sum', average: 'avg', maximum: 'max', minimum: 'min' } as const

const writeMeasure = (measure: Measure, dialect: DraftDialect): string => {
  if (measure.kind === 'events') return 'count(*)'
  if (measure.kind === 'persons') return 'count(DISTINCT events.person_id)'
  const number = writeNumber(measure.property, dialect)
  return measure.kind === 'median' ? dialect.median(number) : `${AGGREGATES[measure.kind]}(${number})`
}

const writeProperty = ({ name, owner }: Property, { readProperty }: DraftDialect): string =>
  owner === 'column' ? `events.${name}` : readProperty(`${owner}s.properties`, name)

/** Values that are no numbers are left out. */
const writeNumber = (property: Property, dialect: DraftDialect): string =>
  dialect.readNumber(writeProperty(property, dialect))

const writeInterval = (interval: Interval, { startOf, toDate }: DraftDialect): string => {
  const start = startOf(interval, 'events.timestamp')
  return interval === 'hour' || interval === 'minute' ? start : toDate(start)
}

const writeTime = ({ at, moved }: TimePoint, { now, startOf, writeDay }: DraftDialect): string => {
  const time = at === 'now' ? now : 'day' in at ? writeDay(at.day) : startOf(at.startOf, now)
  if (moved === undefined) return time
  const { count, unit } = moved
  const [length, name] = unit === 'quarter' ? [Math.abs(count) * 3, 'MONTH'] : [Math.abs(count), unit.toUpperCase()]
  return `${time} ${count < 0 ? '-' : '+'} INTERVAL ${length} ${name}`
}

const nameColumn = ({ name, owner }: Property, taken: readonly string[]): string =>
  taken.includes(name) ? `${owner} ${name}` : name

const writeFilter = ({ property, operator, values }: Filter, dialect: DraftDialect): string => {
  const { quoteString } = dialect
  const text = writeProperty(property, dialect)
  const value = quoteString(values[0] ?? '')
  switch (operator) {
    case 'is':
      return values.length === 1 ? `${text} = ${value}` : `${text} IN (${values.map(quoteString).join(', ')})`
    // An event without the property does not have the value.
    case 'is_not':
      return values.length === 1
        ? dialect.differs(text, value)
        : `coalesce(${text} NOT IN (${values.map(quoteString).join(', ')}), TRUE)`
    case 'contains':
      return dialect.contains(text, value)
    case 'contains_not':
      return `coalesce(NOT ${dialect.contains(text, value)}, TRUE)`
    case 'starts_with':
      return dialect.startsWith(text, value)
    case 'ends_with':
      return dialect.endsWith(text, value)
    case 'set':
      return `${text} IS NOT NULL`
    case 'not_set':
      return `${text} IS NULL`
    default:
      return `${writeNumber(property, dialect)} ${SIGNS[operator]} ${values[0]}`
  }
}

const SIGNS = { at_least: '>=', at_most: '<=', more_than: '>', less_than: '<' } as const
