import { isDeepStrictEqual } from 'node:util'
import { writeDateRange } from '../../../../insight/filter/sql/write-date-range.ts'
import type { RetentionPoint } from '../../../../insight/question/actors.ts'
import type { RetentionAnswer, RetentionQuestion } from '../../../../insight/question/retention.ts'
import type { Periods } from '../../../../insight/time/periods.ts'
import { readRetention } from '../../question/read-retention.ts'
import type { EventSource } from '../../question/event-source.ts'
import { duckDbEngine } from './duckdb-engine.ts'
import { createEventSource, EVENT_TIME } from './event-source.ts'
import { writePeriodIndex } from '../../question/period-sql.ts'
import type { Select } from '../../question/select.ts'

/** Answers how many came back: one SELECT. */
export const answerRetention = async (question: RetentionQuestion, select: Select): Promise<RetentionAnswer> =>
  readRetention(question, await select(writeRetention(question)))

/** Writes a SELECT of the actors in a cohort. */
export const writeRetentionActors = ({ question, period }: RetentionPoint): string => {
  const source = createEventSource(question.events)
  return source.toQuery(`SELECT DISTINCT actor FROM (${writeMembers(question, source, null)}) WHERE period = ${period}`)
}

/** Actors whose bits are in one number: all bits of a BIGINT but the sign. */
const WORD_BITS = 63

/**
 * Writes a SELECT of the group's place, the period of the cohort, a period, the number of actors, and the values of the group. In its own
 * period a cohort has all its actors, in later ones those who returned. The place is NULL for the others.
 *
 * Events become one row for each actor, with its periods as bits. Then each period becomes words, with its actors as bits, so that
 * two periods are compared by the word and not by the actor. No column has the name of a table: with such a name, the properties of
 * all events would be read as JSON (`readColumnUse`).
 */
const writeRetention = (question: RetentionQuestion): string => {
  const { periods, breakdown, isCumulative } = question
  const source = createEventSource(question.events)
  // Before a breakdown joins the tables of persons and groups, which returns do not need.
  const returns = writeReturns(question, source)
  const names = (breakdown?.properties ?? []).map((_, index) => `text_${index}`)
  const isIn = (bits: string): string => `(${bits} >> period::INTEGER) & 1 = 1`
  const isReturn = isCumulative ? 'return_bits >> period::INTEGER != 0' : isIn('return_bits')
  const word = `number // ${WORD_BITS} AS chunk, bit_or(1::BIGINT << (number % ${WORD_BITS})::INTEGER) AS word`
  return source.toQuery(
    `SELECT place, start, period, actors${names.map((name) => `, named.value.${name}`).join('')} FROM (` +
      'SELECT place, start, start AS period, sum(bit_count(word)) AS actors FROM start_words GROUP BY 1, 2 UNION ALL ' +
      'SELECT place, start, period, sum(bit_count(start_words.word & return_words.word)) AS actors FROM start_words ' +
      'JOIN return_words ON return_words.chunk = start_words.chunk AND period > start GROUP BY 1, 2, 3' +
      `)${breakdown === null ? '' : ' LEFT JOIN named USING (place)'} WHERE actors > 0`,
    [
      ...writeStarts(question, source, names),
      `returns AS (${returns})`,
      'numbered AS MATERIALIZED (SELECT row_number() OVER () AS number, place, start_bits, coalesce(return_bits, 0) AS return_bits ' +
        'FROM starts LEFT JOIN returns ON returns.actor = starts.actor)',
      `periods AS (SELECT unnest(range(${periods.starts.length})) AS period)`,
      `start_words AS MATERIALIZED (SELECT place, period AS start, ${word} FROM numbered, periods WHERE ${isIn('start_bits')} GROUP BY 1, 2, 3)`,
      `return_words AS (SELECT period, ${word} FROM numbered, periods WHERE ${isReturn} GROUP BY 1, 2)`,
    ],
  )
}

/** Writes the number that has the bit of a period. A HUGEINT takes longer. */
const writeBit = ({ starts }: Periods, period: string): string =>
  `1::${starts.length <= WORD_BITS ? 'BIGINT' : 'HUGEINT'} << (${period})::INTEGER`

/** Writes a SELECT of actors and the periods in which they returned. */
const writeReturns = (
  { events, cohorts, returning, minimumReturns, actor, periods, breakdown }: RetentionQuestion,
  source: EventSource,
): string => {
  const isSame = cohorts.of === 'every_period' && isDeepStrictEqual(events.condition, returning)
  // What most queries ask is read once.
  if (isSame && minimumReturns === 1 && breakdown === null) return 'SELECT actor, start_bits AS return_bits FROM starts'
  const actorSql = source.writeActor(actor)
  const period = writePeriodIndex(periods, EVENT_TIME, duckDbEngine.divide)
  const from = source.writeFromAll(writeDateRange(periods.range), source.write(returning), `${actorSql} IS NOT NULL`)
  if (minimumReturns === 1)
    return `SELECT ${actorSql} AS actor, bit_or(${writeBit(periods, period)}) AS return_bits ${from} GROUP BY 1`
  const pairs = `SELECT ${actorSql} AS actor, ${period} AS period ${from} GROUP BY 1, 2 HAVING count(*) >= ${minimumReturns}`
  return `SELECT actor, bit_or(${writeBit(periods, 'period')}) AS return_bits FROM (${pairs}) GROUP BY 1`
}

/**
 * Writes the table `starts` of actors, the places of their groups, and the periods of the cohorts that they are in. For a breakdown
 * there is also the table `named` of places and their values.
 */
const writeStarts = (question: RetentionQuestion, source: EventSource, names: readonly string[]): readonly string[] => {
  const { breakdown, cohorts, actor, periods } = question
  if (breakdown === null) {
    const starts =
      cohorts.of === 'every_period'
        ? `SELECT ${source.writeActor(actor)} AS actor, 0 AS place, bit_or(${writeBit(periods, writePeriodIndex(periods, EVENT_TIME, duckDbEngine.divide))}) AS start_bits ` +
          `${source.writeFrom(periods.range, `${source.writeActor(actor)} IS NOT NULL`)} GROUP BY 1`
        : `SELECT actor, 0 AS place, ${writeBit(periods, 'period')} AS start_bits FROM (${writeMembers(question, source, null)})`
    return [`starts AS MATERIALIZED (${starts})`]
  }
  const texts = breakdown.properties.map((property, index) => `${names[index]}: ${source.writeText(property)}`)
  const order = ['size DESC', ...names.map((name) => `value.${name}`)].join(', ')
  return [
    `members AS MATERIALIZED (${writeMembers(question, source, `{${texts.join(', ')}}`)})`,
    `named AS MATERIALIZED (SELECT value, row_number() OVER (ORDER BY ${order}) - 1 AS place FROM ` +
      `(SELECT value, count(*) AS size FROM members GROUP BY value ORDER BY ${order} LIMIT ${breakdown.limit}))`,
    `starts AS (SELECT actor, place, bit_or(${writeBit(periods, 'period')}) AS start_bits FROM members ` +
      'LEFT JOIN named ON named.value IS NOT DISTINCT FROM members.value GROUP BY 1, 2)',
  ]
}

/**
 * Writes a SELECT of actors and the periods of the cohorts that they are in, a row for each.
 *
 * @param value SQL for a struct, which is read of the event that puts the actor in the cohort; null for none.
 */
const writeMembers = (
  { events, cohorts, actor, periods }: RetentionQuestion,
  source: EventSource,
  value: string | null,
): string => {
  const actorSql = source.writeActor(actor)
  const hasActor = `${actorSql} IS NOT NULL`
  const ofFirst = (sql: string, name: string): string => `, arg_min(${sql}, (events.timestamp, events.uuid)) AS ${name}`
  const valueOfFirst = value === null ? '' : ofFirst(value, 'value')
  if (cohorts.of === 'every_period')
    return (
      `SELECT ${actorSql} AS actor, ${writePeriodIndex(periods, EVENT_TIME, duckDbEngine.divide)} AS period${valueOfFirst} ` +
      `${source.writeFrom(periods.range, hasActor)} GROUP BY 1, 2`
    )
  const isFirstTime = cohorts.of === 'first_time'
  const from = isFirstTime ? source.writeFrom({}, hasActor) : source.writeFromAll(source.write(cohorts.among), hasActor)
  const isSelected = isFirstTime ? '' : ofFirst(`coalesce(${source.write(events.condition)}, FALSE)`, 'is_selected')
  return (
    `SELECT actor, ${writePeriodIndex(periods, 'time', duckDbEngine.divide)} AS period${value === null ? '' : ', value'} FROM (` +
    `SELECT ${actorSql} AS actor, epoch_ms(min(events.timestamp)) AS time${isSelected}${valueOfFirst} ${from} GROUP BY 1) ` +
    `WHERE time >= ${periods.range.from} AND time < ${periods.range.before}${isFirstTime ? '' : ' AND is_selected'}`
  )
}
