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
  const from = source.writeFrom(question.periods.range, ...conditionsOf(question.measure, source))
  const rows = await select(
    source.toQuery(
      `SELECT ${texts.join(', ')} ${from} GROUP BY ${keys} ORDER BY count(*) DESC, ${keys} LIMIT ${limit + 1}`,
    ),
  )
  return rows.map((values) => values.map((value) => (typeof value === 'string' ? value : null)))
}

/** Conditions without which an event does not count. */
const conditionsOf = (measure: Measure, { writeActor }: EventSource): readonly string[] =>
  'actor' in measure ? [`${writeActor(measure.actor)} IS NOT NULL`] : []

/** Writes a SELECT of group, period and number. The group is the index of its values, NULL for the others. */
const writeTrend = (question: TrendQuestion, groups: readonly GroupValues[]): string => {
  const { events, measure, periods, isTotal, breakdown } = question
  const source = createEventSource(events)
  const group = breakdown === null ? '0' : writeGroup(breakdown.properties.map(source.writeText), groups)
  const writePeriod = (time: string): string => (isTotal ? '0' : writePeriodIndex(periods, time))
  return source.toQuery(
    WRITE[measure.kind](measure as never, { source, group, period: writePeriod(EVENT_TIME), writePeriod, question }),
  )
}

/** Writes the index of the values of an event in `groups`; NULL if they are not among them. */
const writeGroup = (texts: readonly string[], groups: readonly GroupValues[]): string => {
  const cases = groups.map((values, index) => {
    const tests = values.map((value, place) =>
      value === null ? `${texts[place]} IS NULL` : `${texts[place]} = ${quoteString(value)}`,
    )
    return `WHEN ${tests.join(' AND ')} THEN ${index}`
  })
  return cases.length === 0 ? 'NULL' : `CASE ${cases.join(' ')} END`
}

/** What the SELECT of a measure is written of. */
interface TrendParts {
  readonly source: EventSource
  /** SQL for the group of an event. */
  readonly group: string
  /** SQL for the period of an event. */
  readonly period: string
  /** SQL for the period of a time. */
  readonly writePeriod: (time: string) => string
  readonly question: TrendQuestion
}

type WriteMeasure<Kind extends Measure['kind']> = (
  measure: Extract<Measure, { readonly kind: Kind }>,
  parts: TrendParts,
) => string

/**
 * Each actor is counted once in each slice of time between two bounds of the periods' windows; a window is a range of slices.
 */
const writeActive: WriteMeasure<'active'> = ({ actor, since }, { source, group, question }) => {
  const { periods, isTotal } = question
  const ends = periods.starts.map((_, index) =>
    Math.min(periods.starts[index + 1] ?? periods.end, periods.range.before),
  )
  const windows = isTotal
    ? [{ from: since[0]!, before: periods.range.before }]
    : since.map((from, index) => ({ from, before: ends[index]! }))
  const bounds = [...new Set(windows.flatMap(({ from, before }) => [from, before]))].toSorted((a, b) => a - b)
  const slice = writePeriodIndex({ starts: bounds.slice(0, -1), end: bounds.at(-1)! }, EVENT_TIME)
  const values = windows.map(
    ({ from, before }, index) => `(${index}, ${bounds.indexOf(from)}, ${bounds.indexOf(before)})`,
  )
  const range: DateRange = { from: bounds[0]!, before: bounds.at(-1)! }
  const actorSql = source.writeActor(actor)
  const slices = `SELECT DISTINCT ${group} AS group_index, ${actorSql} AS actor, ${slice} AS slice ${source.writeFrom(range, `${actorSql} IS NOT NULL`)}`
  return (
    `SELECT group_index, period, count(DISTINCT actor) FROM (${slices}) ` +
    `JOIN (VALUES ${values.join(', ')}) AS windows(period, first_slice, end_slice) ON slice >= first_slice AND slice < end_slice ` +
    'GROUP BY group_index, period'
  )
}

const WRITE: { readonly [Kind in Measure['kind']]: WriteMeasure<Kind> } = {
  count: (_measure, parts) => writeOverEvents('count(*)', parts),
  property: ({ property, aggregate }, parts) =>
    writeOverEvents(AGGREGATE_SQL[aggregate](writeNumber(parts.source.writeText(property))), parts),
  unique({ actor, isCumulative }, parts) {
    const { source, group, period, question } = parts
    const actorSql = source.writeActor(actor)
    if (!isCumulative || question.isTotal) return writeOverEvents(`count(DISTINCT ${actorSql})`, parts)
    const firsts =
      `SELECT ${group} AS group_index, min(${period}) AS period ` +
      `${source.writeFrom(question.periods.range, `${actorSql} IS NOT NULL`)} GROUP BY ${actorSql}, group_index`
    return `SELECT group_index, period, count(*) FROM (${firsts}) GROUP BY group_index, period`
  },
  events_per_actor({ actor, aggregate }, { source, group, period, question }) {
    const actorSql = source.writeActor(actor)
    const counts =
      `SELECT ${group} AS group_index, ${period} AS period, count(*)::DOUBLE AS events ` +
      `${source.writeFrom(question.periods.range, `${actorSql} IS NOT NULL`)} GROUP BY group_index, period, ${actorSql}`
    return `SELECT group_index, period, ${AGGREGATE_SQL[aggregate]('events')} FROM (${counts}) GROUP BY group_index, period`
  },
  active: writeActive,
  first_time({ actor, among }, { source, group, writePeriod, question }) {
    const actorSql = source.writeActor(actor)
    const amongSql = source.write(among)
    const isSelected = `coalesce(${source.write(question.events.condition)}, FALSE)`
    const ofFirst = (value: string): string => `arg_min(${value}, (events.timestamp, events.uuid))`
    const { range } = question.periods
    const firsts =
      `SELECT epoch_ms(min(events.timestamp)) AS time, ${ofFirst(isSelected)} AS is_selected, ${ofFirst(`{'index': ${group}}`)} AS of_group ` +
      `${source.writeFromAll(`${actorSql} IS NOT NULL`, amongSql)} GROUP BY ${actorSql}`
    return (
      `SELECT of_group.index, ${writePeriod('time')} AS period, count(*) FROM (${firsts}) ` +
      `WHERE is_selected AND time >= ${range.from} AND time < ${range.before} GROUP BY 1, 2`
    )
  },
}

const writeOverEvents = (aggregate: string, { source, group, period, question }: TrendParts): string =>
  `SELECT ${group} AS group_index, ${period} AS period, ${aggregate} ` +
  `${source.writeFrom(question.periods.range)} GROUP BY group_index, period`
