import type { LifecycleAnswer, LifecycleQuestion } from '../../../insight/question/lifecycle.ts'
import type { LifecyclePoint } from '../../../insight/question/actors.ts'
import type { Actor } from '../../../insight/question/subject.ts'
import { readLifecycle } from './read-lifecycle.ts'
import type { Engine } from './engine.ts'
import { createEventSource, EVENT_TIME_COLUMN } from './event-source.ts'
import { writePeriodIndex } from './period-sql.ts'
import type { Select } from './select.ts'

/** Answers who came, stayed, came back and left: one SELECT. */
export const answerLifecycle = async (
  question: LifecycleQuestion,
  select: Select,
  engine: Engine,
): Promise<LifecycleAnswer> => readLifecycle(question, await select(writeLifecycle(question, engine)))

/** Writes a SELECT of status, period and the number of actors. */
const writeLifecycle = (question: LifecycleQuestion, engine: Engine): string =>
  writeStatuses(
    question,
    engine,
    (statuses) =>
      `SELECT status, period, count(*) FROM (${statuses}) WHERE period > 0 AND period < ${question.periods.starts.length} GROUP BY 1, 2`,
  )

/** Writes a SELECT of the actors with a status in a period. */
export const writeLifecycleActors = ({ question, period, status }: LifecyclePoint, engine: Engine): string =>
  writeStatuses(
    question,
    engine,
    (statuses) => `SELECT actor FROM (${statuses}) WHERE period = ${period} AND status = ${engine.quoteString(status)}`,
  )

/**
 * Writes a SELECT of what a SELECT of actor, period and status has.
 *
 * Events become pairs of actor and period first. Each pair says something about two periods: its own, and the one after it.
 */
const writeStatuses = (
  { events, actor, periods }: LifecycleQuestion,
  engine: Engine,
  writeSelect: (statuses: string) => string,
): string => {
  const { milliseconds, divide, some, tableAs } = engine
  const source = createEventSource(events, engine)
  const actorSql = source.writeActor(actor)
  const pairs =
    `SELECT ${actorSql} AS actor, ${writePeriodIndex(periods, milliseconds(EVENT_TIME_COLUMN), divide)} AS period ` +
    `${source.writeFrom(periods.range, `${actorSql} IS NOT NULL`)} GROUP BY 1, 2`
  const owners = selectOwners(actor, engine)
  const firsts =
    `SELECT ${actorSql} AS actor, ${milliseconds(`min(${EVENT_TIME_COLUMN})`)} AS time ` +
    `${source.writeFromAll(`${actorSql} IN (SELECT actor FROM unknown)`)} GROUP BY 1`
  const { from, before } = periods.range
  return source.toQuery(
    writeSelect(
      'SELECT states.actor, states.period, CASE ' +
        "WHEN NOT is_active THEN 'dormant' WHEN created.period = states.period THEN 'new' " +
        "WHEN was_active THEN 'returning' ELSE 'resurrecting' END AS status " +
        'FROM states LEFT JOIN created ON created.actor = states.actor',
    ),
    [
      `active ${tableAs} (${pairs})`,
      `states AS (SELECT actor, period, ${some('is_now')} AS is_active, ${some('NOT is_now')} AS was_active FROM (` +
        'SELECT actor, period, TRUE AS is_now FROM active UNION ALL SELECT actor, period + 1, FALSE FROM active) GROUP BY 1, 2)',
      `owners AS (${owners})`,
      'unknown AS (SELECT DISTINCT actor FROM active WHERE actor NOT IN (SELECT actor FROM owners))',
      `created AS (SELECT actor, ${writePeriodIndex(periods, 'time', divide)} AS period FROM (SELECT actor, time FROM owners UNION ALL ${firsts}) ` +
        `WHERE time >= ${from} AND time < ${before})`,
    ],
  )
}

/** Writes a SELECT of the actors whose time of creation the store has. */
const selectOwners = (actor: Actor, { milliseconds, quoteString }: Engine): string => {
  switch (actor.of) {
    case 'person':
      return `SELECT id AS actor, ${milliseconds('created_at')} AS time FROM persons`
    case 'group':
      return `SELECT group_key AS actor, ${milliseconds('created_at')} AS time FROM groups WHERE group_type = ${quoteString(actor.type)}`
    default:
      return "SELECT '' AS actor, 0 AS time WHERE FALSE"
  }
}
