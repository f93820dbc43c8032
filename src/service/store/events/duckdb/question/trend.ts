import type { DateRange } from '../../../../insight/time/date-range.ts'
import { writeNumber } from '../../../../insight/filter/sql/order.ts'
import type {
  Aggregate,
  GroupValues,
  Measure,
  TrendAnswer,
  TrendGroup,
  TrendQuestion,
} from '../../../../insight/question/trend.ts'
import { quoteString } from '../../../../sql/quote.ts'
import type { Select } from './select.ts'
import type { EventSource } from './event-source.ts'
import { createEventSource, EVENT_TIME } from './event-source.ts'
import { writePeriodIndex } from './period-sql.ts'

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

/** Answers a trend: one SELECT, and before it one for the most frequent values of a breakdown. */
export const answerTrend = async (question: TrendQuestion, select: Select): Promise<TrendAnswer> => {
  const { breakdown, periods, isTotal } = question
  const groups = breakdown === null ? [[]] : await readGroups(question, select)
  const shown = breakdown === null ? groups : groups.slice(0, breakdown.limit)
  const rows = await select(writeTrend(question, shown))
  const length = isTotal ? 1 : periods.starts.length
  const numbers = shown.map((): number[] => Array.from({ length }, () => 0))
  const others = Array.from({ length }, () => 0)
  for (const [group, period, number] of rows) {
    const target = group === null ? others : numbers[Number(group)]!
    target[Number(period)] = number === null ? 0 : Number(number)
  }
  const named = shown.map((values, index): TrendGroup => ({ values, numbers: numbers[index]! }))
  return { groups: shown.length === groups.length ? named : [...named, { values: 'others', numbers: others }] }
}

/** The groups of a breakdown with the most events, one more than the limit. */
const readGroups = async (question: TrendQuestion, select: Select): Promise<readonly GroupValues[]> => {
  const { properties, limit } = question.breakdown!
  const source = createEventSource(question.events)
  const texts = properties.map(source.writeText)
  const keys = texts.map((_, index) => index + 1).join(', ')
  const from = source.writeFrom(rangeOf(question), ...conditionsOf(question.measure, source))
  const rows = await select(
    source.toQuery(
      `SELECT ${texts.join(', ')} ${from} GROUP BY ${keys} ORDER BY count(*) DESC, ${keys} LIMIT ${limit + 1}`,
    ),
  )
  return rows.map((values) => values.map((value) => (typeof value === 'string' ? value : null)))
}

/** The times of the events that count: those who are active may have their events before the first period. */
const rangeOf = ({ measure, periods: { range } }: TrendQuestion): DateRange =>
  measure.kind === 'active' ? { ...range, from: Math.min(range.from, measure.since[0]!) } : range

/** Conditions without which an event does not count. */
const conditionsOf = (measure: Measure, { writeActor }: EventSource): readonly string[] =>
  'actor' in measure ? [`${writeActor(measure.actor)} IS NOT NULL`] : []

/** Writes a SELECT of group, period and number. The group is the index of its values, NULL for the others. */
const writeTrend = (question: TrendQuestion, groups: readonly GroupValues[]): string => {
  const { events, measure, periods, isTotal, breakdown } = question
  const source = createEventSource(events)
  const texts = (breakdown?.properties ?? []).map(source.writeText)
  const parts: TrendParts = {
    question,
    source,
    values: texts.map((text, index) => `${text} AS ${nameValue(index)}`),
    group: breakdown === null ? '0' : writeGroup(groups),
    writePeriod: (time) => (isTotal ? '0' : writePeriodIndex(periods, time)),
  }
  return source.toQuery(WRITE[measure.kind](measure as never, parts))
}

/** The name of the column with the text of a breakdown's property. */
const nameValue = (index: number): string => `value_${index}`

/** Writes the index in `groups` of the values of a row; NULL if they are not among them. */
const writeGroup = (groups: readonly GroupValues[]): string => {
  const cases = groups.map((values, index) => {
    const tests = values.map((value, place) =>
      value === null ? `${nameValue(place)} IS NULL` : `${nameValue(place)} = ${quoteString(value)}`,
    )
    return `WHEN ${tests.join(' AND ')} THEN ${index}`
  })
  return cases.length === 0 ? 'NULL' : `CASE ${cases.join(' ')} END`
}

/** What the SELECT of a measure is written of. */
interface TrendParts {
  readonly question: TrendQuestion
  readonly source: EventSource
  /** Columns with the texts of the breakdown's properties. They are read in an inner SELECT, because a group has many tests of them. */
  readonly values: readonly string[]
  /** SQL for the group of a row with these columns. */
  readonly group: string
  /** SQL for the period of a time. */
  readonly writePeriod: (time: string) => string
}

type WriteMeasure<Kind extends Measure['kind']> = (
  measure: Extract<Measure, { readonly kind: Kind }>,
  parts: TrendParts,
) => string

/** A SELECT of the selected events, with their period and these columns. */
const writeRows = (
  { question, source, values, writePeriod }: TrendParts,
  columns: readonly string[],
  conditions: readonly string[] = [],
): string =>
  `SELECT ${[`${writePeriod(EVENT_TIME)} AS period`, ...values, ...columns].join(', ')} ` +
  source.writeFrom(question.periods.range, ...conditions)

const groupBy = (aggregate: string, { group }: TrendParts, rows: string): string =>
  `SELECT ${group} AS group_index, period, ${aggregate} FROM (${rows}) GROUP BY group_index, period`

/** Events are counted before their values become groups: there are fewer different values than events. */
const writeCount: WriteMeasure<'count'> = (_measure, parts) => {
  const keys = ['period', ...parts.values.map((_, index) => nameValue(index))].join(', ')
  const counts = `${writeRows(parts, ['count(*) AS event_count'])} GROUP BY ${keys}`
  return groupBy('sum(event_count)', parts, counts)
}

const writeProperty: WriteMeasure<'property'> = ({ property, aggregate }, parts) => {
  const number = writeNumber(parts.source.writeText(property))
  return groupBy(AGGREGATE_SQL[aggregate]('number'), parts, writeRows(parts, [`${number} AS number`]))
}

const writeUnique: WriteMeasure<'unique'> = ({ actor, isCumulative }, parts) => {
  const actorSql = parts.source.writeActor(actor)
  const rows = writeRows(parts, [`${actorSql} AS actor`], [`${actorSql} IS NOT NULL`])
  if (!isCumulative || parts.question.isTotal) return groupBy('count(DISTINCT actor)', parts, rows)
  const firsts = `SELECT ${parts.group} AS group_index, min(period) AS period FROM (${rows}) GROUP BY actor, group_index`
  return `SELECT group_index, period, count(*) FROM (${firsts}) GROUP BY group_index, period`
}

const writeEventsPerActor: WriteMeasure<'events_per_actor'> = ({ actor, aggregate }, parts) => {
  const actorSql = parts.source.writeActor(actor)
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

/**
 * Time is cut into slices at the bounds of all windows, so that each window is some slices in a row. An actor with an event in a slice is
 * active in the periods whose windows contain it; the periods from its next slice on are left to that one, so that none counts twice.
 */
const writeActive: WriteMeasure<'active'> = ({ actor, since }, { question, source, values, group }) => {
  const windows = listWindows(question, since)
  const bounds = [...new Set(windows.flatMap(({ from, before }) => [from, before]))].toSorted((a, b) => a - b)
  const slice = writePeriodIndex({ starts: bounds.slice(0, -1), end: bounds.at(-1)! }, EVENT_TIME)
  const actorSql = source.writeActor(actor)
  const range: DateRange = { from: bounds[0]!, before: bounds.at(-1)! }
  const rows = `SELECT ${[`${actorSql} AS actor`, `${slice} AS slice`, ...values].join(', ')} ${source.writeFrom(range, `${actorSql} IS NOT NULL`)}`
  const slices = `SELECT DISTINCT ${group} AS group_index, actor, slice FROM (${rows})`
  const periodsOfSlices = bounds.slice(0, -1).flatMap((start, index) => {
    const first = windows.findIndex(({ from, before }) => from <= start && start < before)
    const last = windows.findLastIndex(({ from, before }) => from <= start && start < before)
    return first === -1 ? [] : [`(${index}, ${first}, ${last})`]
  })
  const active =
    `SELECT group_index, first_period, least(last_period, coalesce(lead(first_period) OVER ` +
    `(PARTITION BY group_index, actor ORDER BY slice) - 1, last_period)) AS last_period FROM (${slices}) ` +
    `JOIN (VALUES ${periodsOfSlices.join(', ')}) AS slice_periods(slice, first_period, last_period) USING (slice)`
  return (
    `SELECT group_index, period, count(*) FROM (SELECT group_index, unnest(range(first_period, last_period + 1)) AS period ` +
    `FROM (${active})) GROUP BY group_index, period`
  )
}

/** The times in which an actor with an event is active in each period. */
const listWindows = (
  { periods: { range, starts, end }, isTotal }: TrendQuestion,
  since: readonly number[],
): readonly { readonly from: number; readonly before: number }[] => {
  if (isTotal) return [{ from: since[0]!, before: range.before }]
  return since.map((from, index) => ({ from, before: Math.min(starts[index + 1] ?? end, range.before) }))
}

const WRITE: { readonly [Kind in Measure['kind']]: WriteMeasure<Kind> } = {
  count: writeCount,
  property: writeProperty,
  unique: writeUnique,
  events_per_actor: writeEventsPerActor,
  first_time: writeFirstTime,
  active: writeActive,
}
