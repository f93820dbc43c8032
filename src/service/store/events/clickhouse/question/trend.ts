import type { Aggregate, GroupValues, Measure, TrendAnswer, TrendQuestion } from '../../../../insight/question/trend.ts'
import { cutIntoSlices } from '../../question/active-windows.ts'
import type { EventSource } from '../../question/event-source.ts'
import { writePeriodIndex } from '../../question/period-sql.ts'
import { readTrend } from '../../question/read-trend.ts'
import type { Select } from '../../question/select.ts'
import { clickHouseEngine, EVENT_TIME, EVENT_UUID } from './clickhouse-engine.ts'
import { createEventSource } from './event-source.ts'

const { divide, toNumber } = clickHouseEngine

const percentile =
  (level: number) =>
  (number: string): string =>
    `quantileExactInclusive(${level})(${number})`

const AGGREGATE_SQL: Readonly<Record<Aggregate, (number: string) => string>> = {
  average: (number) => `avg(${number})`,
  sum: (number) => `sum(${number})`,
  min: (number) => `min(${number})`,
  max: (number) => `max(${number})`,
  median: percentile(0.5),
  p75: percentile(0.75),
  p90: percentile(0.9),
  p95: percentile(0.95),
  p99: percentile(0.99),
}

/** Sums of fractions: without the errors that grow with the count of the numbers, and with their magnitude (`roundSum`). */
const FRACTION_SQL: Partial<Record<Aggregate, string>> = {
  average: 'sumKahan(number) / count(number), avg(abs(number))',
  sum: 'sumKahan(number), sum(abs(number))',
}

/** Answers a trend: one SELECT. */
export const answerTrend = async (question: TrendQuestion, select: Select): Promise<TrendAnswer> =>
  readTrend(question, await select(writeTrend(question, createEventSource(question.events))))

/** Writes a SELECT of group, period and number, and perhaps the magnitude of that (`readTrend`). The group is the index of its values, NULL for the others. */
const writeTrend = (question: TrendQuestion, source: EventSource): string => {
  const { measure, periods, isTotal, breakdown } = question
  const texts = (breakdown?.properties ?? []).map(source.writeText)
  const parts: TrendParts = {
    question,
    source,
    values: texts.map((sql, index) => `${sql} AS ${nameValue(index)}`),
    group: breakdown === null ? '0' : writeGroup(breakdown.groups, source),
    writePeriod: (time) => (isTotal ? '0' : writePeriodIndex(periods, time, divide)),
  }
  return source.toQuery(WRITE[measure.kind](measure as never, parts))
}

/** The name of a column of a breakdown. */
const nameValue = (index: number): string => `value_${index}`

/** Writes the index in `groups` of the values of a row; NULL if they are not among them. */
const writeGroup = (groups: readonly GroupValues[], { bind }: EventSource): string => {
  const cases = groups.map((values, index) => {
    const tests = values.map((value, place) =>
      value === null ? `${nameValue(place)} IS NULL` : `${nameValue(place)} = ${bind(value)}`,
    )
    return `${tests.join(' AND ')}, ${index}`
  })
  return cases.length === 0 ? 'NULL' : `multiIf(${cases.join(', ')}, NULL)`
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

const writeCount: WriteMeasure<'count'> = (_measure, parts) => groupBy('count()', parts, writeRows(parts, []))

const writeProperty: WriteMeasure<'property'> = ({ property, aggregate }, parts) => {
  const number = toNumber(parts.source.writeText(property))
  return groupBy(
    FRACTION_SQL[aggregate] ?? AGGREGATE_SQL[aggregate]('number'),
    parts,
    writeRows(parts, [`${number} AS number`]),
  )
}

const writeActorRows = (parts: TrendParts, actorSql: string): string =>
  writeRows(parts, [`${actorSql} AS actor`], [`${actorSql} IS NOT NULL`])

const writeUnique: WriteMeasure<'unique'> = ({ actor, isCumulative }, parts) => {
  const rows = writeActorRows(parts, parts.source.writeActor(actor))
  if (!isCumulative || parts.question.isTotal) return groupBy('uniqExact(actor)', parts, rows)
  const firsts = `SELECT ${parts.group} AS group_index, min(period) AS first_period FROM (${rows}) GROUP BY actor, group_index`
  return `SELECT group_index, first_period, count() FROM (${firsts}) GROUP BY group_index, first_period`
}

const writeEventsPerActor: WriteMeasure<'events_per_actor'> = ({ actor, aggregate }, parts) => {
  const rows = writeActorRows(parts, parts.source.writeActor(actor))
  const counts =
    `SELECT ${parts.group} AS group_index, period, toFloat64(count()) AS event_count FROM (${rows}) ` +
    'GROUP BY group_index, period, actor'
  return `SELECT group_index, period, ${AGGREGATE_SQL[aggregate]('event_count')} FROM (${counts}) GROUP BY group_index, period`
}

const writeFirstTime: WriteMeasure<'first_time'> = (
  { actor, among },
  { question, source, values, group, writePeriod },
) => {
  const actorSql = source.writeActor(actor)
  const isSelected = `coalesce(${source.write(question.events.condition)}, FALSE)`
  const names = ['is_selected', ...values.map((_, index) => nameValue(index))]
  const columns = [
    `${actorSql} AS actor`,
    `${EVENT_TIME} AS event_time`,
    `${EVENT_UUID} AS event_uuid`,
    `${isSelected} AS is_selected`,
    ...values,
  ]
  const rows = `SELECT ${columns.join(', ')} ${source.writeFromAll(`${actorSql} IS NOT NULL`, source.write(among))}`
  const firsts = `SELECT min(event_time) AS first_time, argMin((${names.join(', ')}, 0), (event_time, event_uuid)) AS first FROM (${rows}) GROUP BY actor`
  const { range } = question.periods
  const inRange =
    `SELECT ${[`${writePeriod('first_time')} AS period`, ...names.map((name, index) => `first.${index + 1} AS ${name}`)].join(', ')} ` +
    `FROM (${firsts}) WHERE first_time >= ${range.from} AND first_time < ${range.before}`
  return `SELECT ${group} AS group_index, period, count() FROM (${inRange}) WHERE is_selected GROUP BY group_index, period`
}

const writeActive: WriteMeasure<'active'> = ({ actor, since }, { question, source, values, group }) => {
  const { bounds, ...spans } = cutIntoSlices(question, since)
  const slice = writePeriodIndex({ starts: bounds.slice(0, -1), end: bounds.at(-1)! }, EVENT_TIME, divide)
  const actorSql = source.writeActor(actor)
  const range = { from: bounds[0]!, before: bounds.at(-1)! }
  const rows = `SELECT ${[`${actorSql} AS actor`, `${slice} AS slice`, ...values].join(', ')} ${source.writeFrom(range, `${actorSql} IS NOT NULL`)}`
  const active = `SELECT DISTINCT ${group} AS group_index, actor, slice FROM (${rows})`
  const lookUp = (periods: readonly number[]): string =>
    `transform(toInt64(slice), [${spans.slice.join(', ')}], [${periods.join(', ')}], toInt64(-1))`
  const located =
    `SELECT group_index, actor, slice, ${lookUp(spans.firstPeriod)} AS first_period, ${lookUp(spans.lastPeriod)} AS last_period ` +
    `FROM (${active}) WHERE first_period >= 0`
  const next =
    'leadInFrame(first_period, 1, toInt64(1000000)) OVER (PARTITION BY group_index, actor ORDER BY slice ' +
    'ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING)'
  const spansOfActors = `SELECT group_index, first_period, least(last_period, ${next} - 1) AS last_own FROM (${located})`
  return (
    'SELECT group_index, period, count() FROM (SELECT group_index, arrayJoin(range(toUInt32(first_period), toUInt32(last_own + 1))) AS period ' +
    `FROM (${spansOfActors})) GROUP BY group_index, period`
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
