import type { RetentionPoint } from '../../../../insight/question/actors.ts'
import type { RetentionAnswer, RetentionQuestion } from '../../../../insight/question/retention.ts'
import type { EventSource } from '../../question/event-source.ts'
import { writePeriodIndex } from '../../question/period-sql.ts'
import { readRetention } from '../../question/read-retention.ts'
import type { Select } from '../../question/select.ts'
import { clickHouseEngine, EVENT_TIME } from './clickhouse-engine.ts'
import { createEventSource } from './event-source.ts'

const { divide, dateRange, ofFirstEvent } = clickHouseEngine

/** Answers how many came back: one SELECT. */
export const answerRetention = async (question: RetentionQuestion, select: Select): Promise<RetentionAnswer> =>
  readRetention(question, await select(writeRetention(question)))

/** Writes a SELECT of the actors in a cohort. */
export const writeRetentionActors = ({ question, period }: RetentionPoint): string => {
  const source = createEventSource(question.events)
  return source.toQuery(`SELECT DISTINCT actor FROM (${writeMembers(question, source, null)}) WHERE period = ${period}`)
}

/**
 * Writes a SELECT of the group's place, the period of the cohort, a period, the number of actors, and the values of the group. In its own
 * period a cohort has all its actors, in later ones those who returned. The place is NULL for the others.
 */
const writeRetention = (question: RetentionQuestion): string => {
  const { breakdown, isCumulative } = question
  const source = createEventSource(question.events)
  // Before a breakdown joins the tables of persons and groups, which returns do not need.
  const returns = writeReturns(question, source)
  const names = (breakdown?.properties ?? []).map((_, index) => `text_${index}`)
  // The key of a join may not be an array of Nullable.
  const value = breakdown === null ? null : `(${[...breakdown.properties.map(source.writeText), '0'].join(', ')})`
  const members = writeMembers(question, source, value)
  const later = isCumulative
    ? 'range(toUInt32(start + 1), toUInt32(greatest(arrayMax(arrayPushBack(periods, toInt64(-1))), start) + 1))'
    : 'arrayFilter(each -> each > start, periods)'
  const columns = names.map((_, index) => `any(value.${index + 1})`)
  const tables = [`members AS (${members})`, `returns AS (${returns})`]
  const starts =
    breakdown === null
      ? 'SELECT actor, 0 AS place, period AS start FROM members'
      : 'SELECT DISTINCT members.actor AS actor, named.place AS place, members.period AS start FROM members ' +
        'LEFT ANY JOIN named ON named.value_key = toString(members.value)'
  if (breakdown !== null) {
    const order = ['size DESC', ...names.map((_, index) => `value.${index + 1}`)].join(', ')
    const sizes = `SELECT value, count() AS size FROM members GROUP BY value ORDER BY ${order} LIMIT ${breakdown.limit}`
    tables.push(
      `named AS (SELECT value, toString(value) AS value_key, toNullable(row_number() OVER (ORDER BY ${order}) - 1) AS place FROM (${sizes}))`,
    )
  }
  const rows =
    `SELECT place, start, arrayJoin(arrayConcat([toInt64(start)], arrayMap(each -> toInt64(each), ${later}))) AS period FROM ` +
    '(SELECT starts.place AS place, toInt64(starts.start) AS start, returns.periods AS periods ' +
    `FROM (${starts}) AS starts LEFT ANY JOIN returns ON returns.actor = starts.actor)`
  const counts = `SELECT place, start, period, count() AS actors FROM (${rows}) GROUP BY place, start, period`
  if (breakdown === null) return source.toQuery(counts, tables)
  return source.toQuery(
    `SELECT counts.place, counts.start, counts.period, any(counts.actors), ${columns.join(', ')} FROM (${counts}) AS counts ` +
      'LEFT ANY JOIN named ON named.place = counts.place GROUP BY 1, 2, 3',
    tables,
  )
}

/** Writes a SELECT of actors and the periods in which they returned, as an array. */
const writeReturns = (
  { returning, minimumReturns, actor, periods }: RetentionQuestion,
  source: EventSource,
): string => {
  const actorSql = source.writeActor(actor)
  const from = source.writeFromAll(dateRange(periods.range), source.write(returning), `${actorSql} IS NOT NULL`)
  const pairs =
    `SELECT ${actorSql} AS actor, toInt64(${writePeriodIndex(periods, EVENT_TIME, divide)}) AS period ${from} ` +
    `GROUP BY 1, 2 HAVING count() >= ${minimumReturns}`
  return `SELECT actor, groupArray(period) AS periods FROM (${pairs}) GROUP BY actor`
}

/**
 * Writes a SELECT of actors and the periods of the cohorts that they are in, a row for each.
 *
 * @param value SQL for a tuple, which is read of the event that puts the actor in the cohort; null for none.
 */
const writeMembers = (
  { events, cohorts, actor, periods }: RetentionQuestion,
  source: EventSource,
  value: string | null,
): string => {
  const actorSql = source.writeActor(actor)
  const hasActor = `${actorSql} IS NOT NULL`
  const valueOfFirst = value === null ? '' : `, ${ofFirstEvent(value)} AS value`
  if (cohorts.of === 'every_period')
    return (
      `SELECT ${actorSql} AS actor, ${writePeriodIndex(periods, EVENT_TIME, divide)} AS period${valueOfFirst} ` +
      `${source.writeFrom(periods.range, hasActor)} GROUP BY 1, 2`
    )
  const isFirstTime = cohorts.of === 'first_time'
  const from = isFirstTime ? source.writeFrom({}, hasActor) : source.writeFromAll(source.write(cohorts.among), hasActor)
  const isSelected = isFirstTime
    ? ''
    : `, ${ofFirstEvent(`coalesce(${source.write(events.condition)}, FALSE)`)} AS is_selected`
  return (
    `SELECT actor, ${writePeriodIndex(periods, 'first_time', divide)} AS period${value === null ? '' : ', value'} FROM (` +
    `SELECT ${actorSql} AS actor, min(${EVENT_TIME}) AS first_time${isSelected}${valueOfFirst} ${from} GROUP BY 1) ` +
    `WHERE first_time >= ${periods.range.from} AND first_time < ${periods.range.before}${isFirstTime ? '' : ' AND is_selected'}`
  )
}
