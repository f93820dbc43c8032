import { writeDateRange } from '../../../../insight/filter/sql/write-date-range.ts'
import type { RetentionAnswer, RetentionGroup, RetentionQuestion } from '../../../../insight/question/retention.ts'
import type { Breakdown, GroupValues } from '../../../../insight/question/trend.ts'
import type { EventSource } from './event-source.ts'
import { createEventSource, EVENT_TIME } from './event-source.ts'
import { writePeriodIndex } from './period-sql.ts'
import type { Select } from './select.ts'
import { writeGroup } from './trend.ts'

/** Answers how many came back: one SELECT, and before it one for the largest groups of a breakdown. */
export const answerRetention = async (question: RetentionQuestion, select: Select): Promise<RetentionAnswer> => {
  const { breakdown, periods, isCumulative } = question
  const groups = breakdown === null ? [[]] : await readGroups(question, breakdown, select)
  const shown = breakdown === null ? groups : groups.slice(0, breakdown.limit)
  const createCohorts = (): number[][] => periods.starts.map((_, start) => periods.starts.slice(start).map(() => 0))
  const [cohorts, others] = [shown.map(createCohorts), createCohorts()]
  for (const [group, start, period, count] of await select(writeRetention(question, shown))) {
    const target = group === null ? others : cohorts[Number(group)]!
    target[Number(start)]![Number(period) - Number(start)] = Number(count)
  }
  const toGroup = (values: RetentionGroup['values'], counts: readonly (readonly number[])[]): RetentionGroup => ({
    values,
    cohorts: isCumulative ? counts.map(addLaterReturns) : counts,
  })
  const named = shown.map((values, index) => toGroup(values, cohorts[index]!))
  return { groups: shown.length === groups.length ? named : [...named, toGroup('others', others)] }
}

/** Those who returned last in each period are also counted for those before it. The size of the cohort stays. */
const addLaterReturns = ([size, ...returns]: readonly number[]): readonly number[] => {
  let sum = 0
  return [
    size!,
    ...returns
      .toReversed()
      .map((count) => (sum += count))
      .toReversed(),
  ]
}

/** The groups with the most actors in cohorts, one more than the limit. */
const readGroups = async (
  question: RetentionQuestion,
  { properties, limit }: Breakdown,
  select: Select,
): Promise<readonly GroupValues[]> => {
  const source = createEventSource(question.events)
  const names = properties.map((_, index) => `text_${index}`)
  const texts = properties.map((property, index) => `${names[index]}: ${source.writeText(property)}`)
  const keys = names.map((_, index) => index + 1).join(', ')
  const rows = await select(
    source.toQuery(
      `SELECT ${names.map((name) => `value.${name}`).join(', ')} FROM starts GROUP BY ${keys} ORDER BY count(*) DESC, ${keys} LIMIT ${limit + 1}`,
      [writeStarts(question, source, `{${texts.join(', ')}}`)],
    ),
  )
  return rows.map((values) => values.map((value) => (typeof value === 'string' ? value : null)))
}

/**
 * Writes a SELECT of group, period of the cohort, period, and the number of actors: the whole cohort in its own period, those who
 * returned in later ones. The group is the index of its values, NULL for the others.
 *
 * Events become pairs of actor and period first; only these are joined.
 */
const writeRetention = (question: RetentionQuestion, groups: readonly GroupValues[]): string => {
  const { events, returning, minimumReturns, isCumulative, actor, periods, breakdown } = question
  const source = createEventSource(events)
  const actorSql = source.writeActor(actor)
  // Before a breakdown joins the tables of persons and groups, which returns need not.
  const pairs =
    `SELECT ${actorSql} AS actor, ${writePeriodIndex(periods, EVENT_TIME)} AS period ` +
    `${source.writeFromAll(writeDateRange(periods.range), source.write(returning), `${actorSql} IS NOT NULL`)} ` +
    `GROUP BY 1, 2 HAVING count(*) >= ${minimumReturns}`
  const lastPairs = `SELECT actor, max(period) AS period FROM (${pairs}) GROUP BY actor`
  const group = breakdown === null ? null : writeGroup(breakdown.properties.map(source.writeText), groups)
  const starts = writeStarts(question, source, group && `{group_index: ${group}}`)
  const groupIndex = group === null ? '0' : 'value.group_index'
  return source.toQuery(
    `SELECT ${groupIndex}, period, period, count(*) FROM starts GROUP BY 1, 2 UNION ALL ` +
      `SELECT ${groupIndex}, starts.period, returns.period, count(*) FROM starts JOIN returns ` +
      'ON returns.actor = starts.actor AND returns.period > starts.period GROUP BY 1, 2, 3',
    [starts, `returns AS (${isCumulative ? lastPairs : pairs})`],
  )
}

/**
 * Writes the table `starts`: the actors and the periods of the cohorts that they are in.
 *
 * @param value SQL for a struct, which is read of the event that puts the actor in the cohort; null for none.
 */
const writeStarts = (
  { events, cohorts, actor, periods }: RetentionQuestion,
  source: EventSource,
  value: string | null,
): string => {
  const actorSql = source.writeActor(actor)
  const hasActor = `${actorSql} IS NOT NULL`
  const ofFirst = (sql: string, name: string): string => `, arg_min(${sql}, (events.timestamp, events.uuid)) AS ${name}`
  const valueSql = value === null ? '' : ofFirst(value, 'value')
  if (cohorts.of === 'every_period') {
    const period = writePeriodIndex(periods, EVENT_TIME)
    const from = source.writeFrom(periods.range, hasActor)
    return `starts AS MATERIALIZED (SELECT ${actorSql} AS actor, ${period} AS period${valueSql} ${from} GROUP BY 1, 2)`
  }
  const { from, before } = periods.range
  const isInRange = `time >= ${from} AND time < ${before}`
  const [firsts, isStart] =
    cohorts.of === 'first_time'
      ? [source.writeFrom({}, hasActor), isInRange]
      : [source.writeFromAll(source.write(cohorts.among), hasActor), `${isInRange} AND is_selected`]
  const isSelected =
    cohorts.of === 'first_time' ? '' : ofFirst(`coalesce(${source.write(events.condition)}, FALSE)`, 'is_selected')
  return (
    `starts AS MATERIALIZED (SELECT actor, ${writePeriodIndex(periods, 'time')} AS period${value === null ? '' : ', value'} FROM (` +
    `SELECT ${actorSql} AS actor, epoch_ms(min(events.timestamp)) AS time${isSelected}${valueSql} ${firsts} GROUP BY 1) ` +
    `WHERE ${isStart})`
  )
}
