import type { CountCriterion, StickinessAnswer, StickinessQuestion } from '../../../../insight/question/stickiness.ts'
import type { StickinessPoint } from '../../../../insight/question/actors.ts'
import type { EventSource } from './event-source.ts'
import { createEventSource, EVENT_TIME } from './event-source.ts'
import { writePeriodIndex } from './period-sql.ts'
import type { Select } from './select.ts'

const OPERATORS: Readonly<Record<CountCriterion['operator'], string>> = { gte: '>=', lte: '<=', exact: '=' }

/** Answers in how many periods actors have events: one SELECT. */
export const answerStickiness = async (question: StickinessQuestion, select: Select): Promise<StickinessAnswer> => {
  const actors = question.periods.starts.map(() => 0)
  for (const [periods, count] of await select(writeStickiness(question))) actors[Number(periods) - 1] = Number(count)
  return { actors }
}

/** Writes a SELECT of numbers of periods, and of the actors that have so many. */
const writeStickiness = (question: StickinessQuestion): string => {
  const source = createEventSource(question.events)
  return source.toQuery(`SELECT periods, count(*) FROM (${writeCounts(question, source)}) GROUP BY 1`)
}

/** Writes a SELECT of the actors with a number of periods in a range. */
export const writeStickinessActors = ({ question, least, most }: StickinessPoint): string => {
  const source = createEventSource(question.events)
  return source.toQuery(
    `SELECT actor FROM (${writeCounts(question, source)}) WHERE periods >= ${least} AND periods <= ${most}`,
  )
}

/** Writes a SELECT of actors and their numbers of periods. */
const writeCounts = ({ actor, periods, criterion }: StickinessQuestion, source: EventSource): string => {
  const actorSql = source.writeActor(actor)
  const pairs =
    `SELECT ${actorSql} AS actor, ${writePeriodIndex(periods, EVENT_TIME)} AS period ` +
    `${source.writeFrom(periods.range, `${actorSql} IS NOT NULL`)} ` +
    `GROUP BY 1, 2 HAVING count(*) ${OPERATORS[criterion.operator]} ${criterion.value}`
  return `SELECT actor, count(*) AS periods FROM (${pairs}) GROUP BY actor`
}
