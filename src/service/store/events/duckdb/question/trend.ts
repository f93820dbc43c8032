import type { DateRange } from '../../../../insight/time/date-range.ts'
import { writeNumber } from '../../../../insight/filter/sql/order.ts'
import type { Aggregate, GroupValues, Measure, TrendAnswer, TrendQuestion } from '../../../../insight/question/trend.ts'
import { cutIntoSlices } from '../../question/active-windows.ts'
import { readTrend } from '../../question/read-trend.ts'
import type { Select } from '../../question/select.ts'
import type { EventSource } from '../../question/event-source.ts'
import { duckDbEngine } from './duckdb-engine.ts'
import { createEventSource, EVENT_TIME } from './event-source.ts'
import { writePeriodIndex } from '../../question/period-sql.ts'

const AGGREGATE_SQL: Readonly<Record<Aggregate, (number: string) => string>> = {
  average: (number) => `avg(${number})`,
  sum: (number) => `sum(${number})`,
  min: (number) => `min(${number})`,
  max: (number) => `max(${number})`,
  median: (number) => `quantile_cont(${number}, 0.5)`,
  p75: (number) => `quantile_cont(${number}, 0.75)`,
  p90: (number) => `quantile_cont(${number}, 0.9)`,
  p95: (number) => `quantile_cont(${number}, 0.95)`,
  p99: (number) => `quantile_cont(${number}, 0.99)`,
}

/** Sums of fractions: without the errors that grow with the count of the numbers, and with their magnitude (`roundSum`). */
const FRACTION_SQL: Partial<Record<Aggregate, string>> = {
  average: 'favg(number), avg(abs(number))',
  sum: 'fsum(number), sum(abs(number))',
}

/** Answers a trend: one SELECT. */
export const answerTrend = async (question: TrendQuestion, select: Select): Promise<TrendAnswer> => {
  const source = createEventSource(question.events)
  return readTrend(question, await select(writeTrend(question, source), source.parameters))
}

/** Writes a SELECT of group, period and number, and perhaps the magnitude of that (`readTrend`). The group is the index of its values, NULL for the others. */
const writeTrend = (question: TrendQuestion, source: EventSource): string => {
  const { measure, periods, isTotal, breakdown } = question
  const parts: TrendParts = {
    question,
    source,
    ...writeBreakdown(breakdown, source),
    writePeriod: (time) => (isTotal ? '0' : writePeriodIndex(periods, time, duckDbEngine.divide)),
    periodType: periods.starts.length <= BYTE_VALUES ? 'UTINYINT' : 'INTEGER',
  }
  return source.toQuery(WRITE[measure.kind](measure as never, parts))
}

/** The name of a column of a breakdown. */
const nameValue = (index: number): string => `value_${index}`

const writeBreakdown = (
  breakdown: TrendQuestion['breakdown'],
  source: EventSource,
): Pick<TrendParts, 'values' | 'group'> => {
  if (breakdown === null) return { values: [], group: '0' }
  const { groups } = breakdown
  const texts = breakdown.properties.map(source.writeText)
  const [text] = texts
  // DuckDB computes this once for each different text of a vector, and then groups by a byte instead of the text.
  if (texts.length === 1 && groups.length > 0)
    return { values: [`${writePlace(groups, text!, source)} AS ${nameValue(0)}`], group: `${nameValue(0)} - 1` }
  return {
    values: texts.map((sql, index) => `${sql} AS ${nameValue(index)}`),
    group: writeGroup(groups, source),
  }
}

/** Writes the place, from 1, of a text among groups of one value; NULL if it is not among them. NULL is a value. */
const writePlace = (groups: readonly GroupValues[], text: string, { bind }: EventSource): string => {
  const type = groups.length < BYTE_VALUES ? 'UTINYINT' : 'INTEGER'
  const values = groups.map(([value]) => (value === null ? 'NULL' : bind(value!)))
  // A cast of each row takes a fifth of the time. A map cannot have the key NULL.
  return values.includes('NULL')
    ? `list_position([${values.join(', ')}]::VARCHAR[], ${text})::${type}`
    : `map_extract_value(MAP {${values.map((value, index) => `${value}: ${index + 1}::${type}`).join(', ')}}, ${text})`
}

/** Writes the index in `groups` of the values of a row; NULL if they are not among them. */
const writeGroup = (groups: readonly GroupValues[], { bind }: EventSource): string => {
  const cases = groups.map((values, index) => {
    const tests = values.map((value, place) =>
      value === null ? `${nameValue(place)} IS NULL` : `${nameValue(place)} = ${bind(value)}`,
    )
    return `WHEN ${tests.join(' AND ')} THEN ${index}`
  })
  return cases.length === 0 ? 'NULL' : `CASE ${cases.join(' ')} END`
}

/** What the SELECT of a measure is written of. */
interface TrendParts {
  readonly question: TrendQuestion
  readonly source: EventSource
  /** Columns of the breakdown. They are read in an inner SELECT, because a group may have many tests of them. */
  readonly values: readonly string[]
  /** SQL for the group of a row with these columns. */
  readonly group: string
  /** SQL for the period of a time. */
  readonly writePeriod: (time: string) => string
  /** The shortest type of all periods. Of one byte, without another key, DuckDB counts in an array instead of a hash table. */
  readonly periodType: 'UTINYINT' | 'INTEGER'
}

const BYTE_VALUES = 256

type WriteMeasure<Kind extends Measure['kind']> = (
  measure: Extract<Measure, { readonly kind: Kind }>,
  parts: TrendParts,
) => string

/** A SELECT of the selected events, with their period and these columns. */
const writeRows = (
  { question, source, values, writePeriod, periodType }: TrendParts,
  columns: readonly string[],
  conditions: readonly string[] = [],
): string =>
  `SELECT ${[`(${writePeriod(EVENT_TIME)})::${periodType} AS period`, ...values, ...columns].join(', ')} ` +
  source.writeFrom(question.periods.range, ...conditions)

const groupBy = (aggregate: string, { group }: TrendParts, rows: string): string =>
  `SELECT ${group} AS group_index, period, ${aggregate} FROM (${rows}) GROUP BY group_index, period`

/** Events are counted before several values become a group: there are fewer different values than events. */
const writeCount: WriteMeasure<'count'> = (_measure, parts) => {
  const keys = ['period', ...parts.values.map((_, index) => nameValue(index))].join(', ')
  const rows = writeRows(parts, ['count(*) AS event_count'])
  return groupBy('sum(event_count)', parts, `${rows} GROUP BY ${keys}`)
}

const writeProperty: WriteMeasure<'property'> = ({ property, aggregate }, parts) => {
  const number = writeNumber(parts.source.writeText(property))
  return groupBy(
    FRACTION_SQL[aggregate] ?? AGGREGATE_SQL[aggregate]('number'),
    parts,
    writeRows(parts, [`${number} AS number`]),
  )
}

const writeUnique: WriteMeasure<'unique'> = ({ actor, isCumulative }, parts) => {
  const actorSql = parts.source.writeActorKey(actor)
  const rows = writeRows(parts, [`${actorSql} AS actor`], [`${actorSql} IS NOT NULL`])
  if (!isCumulative || parts.question.isTotal) return groupBy('count(DISTINCT actor)', parts, rows)
  const firsts = `SELECT ${parts.group} AS group_index, min(period) AS period FROM (${rows}) GROUP BY actor, group_index`
  return `SELECT group_index, period, count(*) FROM (${firsts}) GROUP BY group_index, period`
}

const writeEventsPerActor: WriteMeasure<'events_per_actor'> = ({ actor, aggregate }, parts) => {
  const actorSql = parts.source.writeActorKey(actor)
  const rows = writeRows(parts, [`${actorSql} AS actor`], [`${actorSql} IS NOT NULL`])
  const counts = `SELECT ${parts.group} AS group_index, period, count(*)::DOUBLE AS event_count FROM (${rows}) GROUP BY group_index, period, actor`
  return `SELECT group_index, period, ${AGGREGATE_SQL[aggregate]('event_count')} FROM (${counts}) GROUP BY group_index, period`
}

const writeFirstTime: WriteMeasure<'first_time'> = (
  { actor, among },
  { question, source, values, group, writePeriod },
) => {
  const actorSql = source.writeActor(actor)
  const isSelected = `coalesce(${source.write(question.events.condition)}, FALSE)`
  // `arg_min` ignores rows whose value is NULL, so that the values are in a struct.
  const first = `arg_min({${['is_selected: is_selected', ...values.map((_, index) => `${nameValue(index)}: ${nameValue(index)}`)].join(', ')}}, (timestamp, uuid))`
  const columns = [
    `${actorSql} AS actor`,
    'events.timestamp AS timestamp',
    'events.uuid AS uuid',
    `${isSelected} AS is_selected`,
    ...values,
  ]
  const rows = `SELECT ${columns.join(', ')} ${source.writeFromAll(`${actorSql} IS NOT NULL`, source.write(among))}`
  const firsts = `SELECT epoch_ms(min(timestamp)) AS time, ${first} AS first FROM (${rows}) GROUP BY actor`
  const { range } = question.periods
  const inRange = `SELECT ${writePeriod('time')} AS period, unnest(first) FROM (${firsts}) WHERE time >= ${range.from} AND time < ${range.before}`
  return `SELECT ${group} AS group_index, period, count(*) FROM (${inRange}) WHERE is_selected GROUP BY group_index, period`
}

const writeActive: WriteMeasure<'active'> = ({ actor, since }, { question, source, values, group }) => {
  const { bounds, slice: slices, firstPeriod, lastPeriod } = cutIntoSlices(question, since)
  const slice = writePeriodIndex({ starts: bounds.slice(0, -1), end: bounds.at(-1)! }, EVENT_TIME, duckDbEngine.divide)
  const actorSql = source.writeActor(actor)
  const range: DateRange = { from: bounds[0]!, before: bounds.at(-1)! }
  const rows = `SELECT ${[`${actorSql} AS actor`, `${slice} AS slice`, ...values].join(', ')} ${source.writeFrom(range, `${actorSql} IS NOT NULL`)}`
  const active = `SELECT DISTINCT ${group} AS group_index, actor, slice FROM (${rows})`
  const columns = Object.entries({ slice: slices, first_period: firstPeriod, last_period: lastPeriod }).map(
    ([name, numbers]) => `unnest(${source.bind(JSON.stringify(numbers))}::INTEGER[]) AS ${name}`,
  )
  const spans =
    `SELECT group_index, first_period, least(last_period, coalesce(lead(first_period) OVER ` +
    `(PARTITION BY group_index, actor ORDER BY slice) - 1, last_period)) AS last_period FROM (${active}) ` +
    `JOIN (SELECT ${columns.join(', ')}) AS slice_periods USING (slice)`
  return (
    `SELECT group_index, period, count(*) FROM (SELECT group_index, unnest(range(first_period, last_period + 1)) AS period ` +
    `FROM (${spans})) GROUP BY group_index, period`
  )
}

const WRITE: { readonly [Kind in Measure['kind']]: WriteMeasure<Kind> } = {
  count: writeCount,
  property: writeProperty,
  unique: writeUnique,
  events_per_actor: writeEventsPerActor,
  first_time: writeFirstTime,
  active: writeActive,
}
