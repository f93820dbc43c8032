import type { CountCriterion, StickinessAnswer, StickinessQuestion } from '../../../insight/question/stickiness.ts'
import type { StickinessPoint } from '../../../insight/question/actors.ts'
import { readStickiness } from './read-stickiness.ts'
import type { EventSource } from './event-source.ts'
import type { Engine } from './engine.ts'
import { createEventSource, EVENT_TIME_COLUMN } from './event-source.ts'
import { writePeriodIndex } from './period-sql.ts'
import type { Select } from './select.ts'

const OPERATORS: Readonly<Record<CountCriterion['operator'], string>> = { gte: '>=', lte: '<=', exact: '=' }

/** Answers in how many periods actors have events: one SELECT. */
export const answerStickiness = async (
  question: StickinessQuestion,
  select: Select,
  engine: Engine,
): Promise<StickinessAnswer> => readStickiness(question, await select(writeStickiness(question, engine)))

/** Writes a SELECT of numbers of periods, and of the actors that have so many. */
const writeStickiness = (question: StickinessQuestion, engine: Engine): string => {
  const source = createEventSource(question.events, engine)
  return source.toQuery(`SELECT periods, count(*) FROM (${writeCounts(question, source, engine)}) GROUP BY 1`)
}

/** Writes a SELECT of the actors with a number of periods in a range. */
export const writeStickinessActors = ({ question, least, most }: StickinessPoint, engine: Engine): string => {
  const source = createEventSource(question.events, engine)
  return source.toQuery(
    `SELECT actor FROM (${writeCounts(question, source, engine)}) WHERE periods >= ${least} AND periods <= ${most}`,
  )
}

/** Writes a SELECT of actors and their numbers of periods. */
const writeCounts = (
  { actor, periods, criterion }: StickinessQuestion,
  source: EventSource,
  { milliseconds, divide }: Engine,
): string => {
  const actorSql = source.writeActor(actor)
  const pairs =
    `SELECT ${actorSql} AS actor, ${writePeriodIndex(periods, milliseconds(EVENT_TIME_COLUMN), divide)} AS period ` +
    `${source.writeFrom(periods.range, `${actorSql} IS NOT NULL`)} ` +
    `GROUP BY 1, 2 HAVING count(*) ${OPERATORS[criterion.operator]} ${criterion.value}`
  return `SELECT actor, count(*) AS periods FROM (${pairs}) GROUP BY actor`
}
