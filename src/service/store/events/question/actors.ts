import { MAX_SHOWN_VALUE_BYTES } from '../../../../wire/bounds.ts'
import { createConditionWriter } from '../../../insight/filter/sql/condition-writer.ts'
import { actorOf } from '../../../insight/question/actors.ts'
import type {
  ActorPoint,
  ActorRecord,
  ActorsAnswer,
  ActorsQuestion,
  PathsPoint,
  PointGroup,
  RetentionPoint,
  TrendPoint,
} from '../../../insight/question/actors.ts'
import type { FunnelPoint } from '../../../insight/question/funnel.ts'
import type { Actor } from '../../../insight/question/subject.ts'
import type { Engine, SqlWithParameters } from './engine.ts'
import type { EventSource } from './event-source.ts'
import { createEventSource } from './event-source.ts'
import { readGroups, readPersons } from './read-actors.ts'
import { writeLifecycleActors } from './lifecycle.ts'
import type { Select } from './select.ts'
import { writeStickinessActors } from './stickiness.ts'

/** Answers which actors there are: one SELECT of their ids, one of those who are missing, and a few for what is known of them. */
export const answerActors = async (
  question: ActorsQuestion,
  select: Select,
  engine: Engine,
  points: EnginePoints,
): Promise<ActorsAnswer> => {
  const { of, limit } = question
  const table = describeTable(question, engine)
  const point = of.kind === 'all' ? null : await writePoint(of, engine, points)
  const rows = await select(writeIds(question, table, point, engine), point?.parameters)
  const ids = rows.slice(0, limit).map(([id]) => String(id))
  const actors = await table.read(ids, select)
  const missingCount = point === null ? 0 : await countMissing(point, table, select)
  return { actors, hasMore: rows.length > limit, missingCount }
}

/** The points of insights whose actors each engine finds in its own way. */
export interface EnginePoints {
  readonly retention: (point: RetentionPoint) => string
  readonly funnel: (point: FunnelPoint) => Promise<readonly string[]>
  readonly paths: (point: PathsPoint) => Promise<readonly string[]>
}

/** The table of persons, or of the groups of one type. */
interface ActorTable {
  readonly name: 'persons' | 'groups'
  /** The column of the id. */
  readonly id: string
  /** SQL that is true for the rows of the table that are such actors. */
  readonly condition: string
  /** SQL for a condition on further ids that contain a text in lower case; null without such ids. */
  readonly writeOtherIds: ((text: string) => string) | null
  /** Reads what is known of some of them, in the order of the ids. One who was deleted meanwhile is left out. */
  readonly read: (ids: readonly string[], select: Select) => Promise<readonly ActorRecord[]>
}

const describeTable = ({ of }: ActorsQuestion, engine: Engine): ActorTable => {
  const actor = actorOf(of)
  return actor.of === 'group'
    ? createGroupTable(actor.type, engine)
    : {
        name: 'persons',
        id: 'persons.id',
        condition: 'TRUE',
        writeOtherIds: (text) =>
          `persons.id IN (SELECT person_id FROM person_distinct_ids WHERE ${writeContains('distinct_id', text, engine)})`,
        read: (ids, select) => readPersons(ids, select, engine),
      }
}

const createGroupTable = (type: string, engine: Engine): ActorTable => ({
  name: 'groups',
  id: 'groups.group_key',
  // Earlier versions stored keys of any length, which do not fit into a SELECT or an answer.
  condition:
    `groups.group_type = ${engine.quoteString(type)} ` +
    `AND ${engine.byteLength('groups.group_key')} <= ${MAX_SHOWN_VALUE_BYTES}`,
  writeOtherIds: null,
  read: (ids, select) => readGroups(type, ids, select, engine),
})

const writeIds = (
  question: ActorsQuestion,
  table: ActorTable,
  point: SqlWithParameters | null,
  engine: Engine,
): string => {
  const { idText, idOrder, readProperty } = engine
  const { persons, search, order, limit, offset } = question
  const { name, id, condition, writeOtherIds } = table
  const writer = createConditionWriter({ ...persons.matching, path: persons.path, events: 'known', dialect: engine })
  const conditions = [condition]
  if (name === 'persons') {
    // The table has the two columns of events that conditions on persons can read.
    const matching = `SELECT known.person_id FROM person_distinct_ids AS known WHERE ${writer.write(persons.condition)}`
    conditions.push(`persons.id IN (${matching})`)
  }
  if (search !== null) {
    const text = search.toLowerCase()
    const texts = [idText(id), ...['email', 'name'].map((key) => readProperty(`${name}.properties`, key).text)]
    const searches = texts.map((sql) => writeContains(sql, text, engine))
    conditions.push(`(${[...searches, ...(writeOtherIds === null ? [] : [writeOtherIds(text)])].join(' OR ')})`)
  }
  const from = point === null ? name : `(${point.sql}) AS point JOIN ${name} ON ${id} = point.actor`
  const keys = order.map(
    ({ by, isDescending }) => `${by === 'id' ? idOrder(id) : `${name}.created_at`}${isDescending ? ' DESC' : ''}`,
  )
  return writer.toQuery(
    `SELECT ${idText(id)} FROM ${from} WHERE ${conditions.join(' AND ')} ` +
      `ORDER BY ${[...keys, idOrder(id)].join(', ')} LIMIT ${limit + 1} OFFSET ${offset}`,
  )
}

const writeContains = (sql: string, text: string, { contains, quoteString }: Engine): string =>
  contains(sql, quoteString(text))

const countMissing = async (
  point: SqlWithParameters,
  { name, id, condition }: ActorTable,
  select: Select,
): Promise<number> => {
  const isKnown = `point.actor IN (SELECT ${id} FROM ${name} WHERE ${condition})`
  const [[count] = []] = await select(
    `SELECT count(*) FROM (${point.sql}) AS point WHERE NOT (${isKnown})`,
    point.parameters,
  )
  return Number(count)
}

/** Writes a SELECT of the actors of a point, each of them once. */
const writePoint = async (point: ActorPoint, engine: Engine, points: EnginePoints): Promise<SqlWithParameters> => {
  switch (point.kind) {
    case 'trend': {
      const source = createEventSource(point.events, engine)
      return { sql: writeTrendPoint(point, source, engine), parameters: source.parameters }
    }
    case 'stickiness':
      return { sql: writeStickinessActors(point, engine), parameters: {} }
    case 'lifecycle':
      return { sql: writeLifecycleActors(point, engine), parameters: {} }
    case 'retention':
      return { sql: points.retention(point), parameters: {} }
    case 'funnel':
      return listActors(await points.funnel(point), point.question.actor, engine)
    default:
      return listActors(await points.paths(point), point.question.actor, engine)
  }
}

const listActors = (actors: readonly string[], { of }: Actor, { selectIds }: Engine): SqlWithParameters =>
  selectIds(actors, of === 'person')

const writeTrendPoint = (
  { events, range, actor, firstAmong, group }: TrendPoint,
  source: EventSource,
  { milliseconds, ofFirstEvent }: Engine,
): string => {
  const actorSql = source.writeActor(actor)
  const isInGroup = group === null ? 'TRUE' : writeIsInGroup(group, source)
  if (firstAmong === null)
    return source.toQuery(
      `SELECT DISTINCT ${actorSql} AS actor ${source.writeFrom(range, `${actorSql} IS NOT NULL`, isInGroup)}`,
    )
  const isSelected = `coalesce(${source.write(events.condition)} AND ${isInGroup}, FALSE)`
  const firsts =
    `SELECT ${actorSql} AS actor, ${milliseconds('min(events.timestamp)')} AS time, ` +
    `${ofFirstEvent(isSelected)} AS is_selected ` +
    `${source.writeFromAll(`${actorSql} IS NOT NULL`, source.write(firstAmong))} GROUP BY ${actorSql}`
  return source.toQuery(
    `SELECT actor FROM (${firsts}) WHERE is_selected AND time >= ${range.from} AND time < ${range.before}`,
  )
}

const writeIsInGroup = ({ properties, values, isAmong }: PointGroup, { writeText, bind }: EventSource): string => {
  const texts = properties.map(writeText)
  const tests = values.map((each) =>
    each
      .map((value, place) => (value === null ? `${texts[place]} IS NULL` : `${texts[place]} = ${bind(value)}`))
      .join(' AND '),
  )
  const isOne = tests.length === 0 ? 'FALSE' : `coalesce(${tests.map((test) => `(${test})`).join(' OR ')}, FALSE)`
  return isAmong ? isOne : `NOT ${isOne}`
}
