import { MAX_SHOWN_VALUE_BYTES } from '../../../../wire/bounds.ts'
import type { EventFieldOrder, EventRecord, EventsAnswer, EventsQuestion } from '../../../insight/question/events.ts'
import { QueryError } from '../../../indexer/query-error.ts'
import type { Engine } from './engine.ts'
import { createEventSource } from './event-source.ts'
import { parseProperties, readPersons } from './read-actors.ts'
import type { Rows, Select } from './select.ts'

/** Answers which events there are: one SELECT, and one or more for their persons. */
export const answerEvents = async (question: EventsQuestion, select: Select, engine: Engine): Promise<EventsAnswer> => {
  const { limit, hasPersons, hasProperties } = question
  const rows = await readRows(question, select, engine)
  const shown = rows.slice(0, limit)
  const personIds = hasPersons ? [...new Set(shown.map(([, , , personId]) => String(personId)))] : []
  const persons = new Map((await readPersons(personIds, select, engine)).map((person) => [person.id, person]))
  const events = shown.map(
    ([uuid, event, distinctId, personId, timestamp, receivedAt, properties, ...texts]): EventRecord => ({
      uuid: String(uuid),
      event: String(event),
      distinctId: String(distinctId),
      timestamp: Number(timestamp),
      receivedAt: Number(receivedAt),
      properties: hasProperties ? parseProperties(properties) : null,
      person: persons.get(String(personId)) ?? null,
      texts: texts.map((text) => (typeof text === 'string' ? text : null)),
    }),
  )
  return { events, hasMore: rows.length > limit }
}

/**
 * Earlier versions stored names and ids of any length. They are cut by the store only if a single event is too large as it is: to cut an id, the
 * store must read it, and the properties beside it, before it knows which events are the first.
 */
const readRows = async (question: EventsQuestion, select: Select, engine: Engine): Promise<Rows> => {
  try {
    return await select(writeEvents(question, engine, (text) => text))
  } catch (error) {
    if (question.limit > 1 || !(error instanceof QueryError) || error.code !== 'memory') throw error
    // One character more, so that the list marks what is cut.
    return select(writeEvents(question, engine, (text) => engine.cutText(text, MAX_SHOWN_VALUE_BYTES + 1)))
  }
}

const orderSql = ({ idOrder }: Engine): Readonly<Record<EventFieldOrder['by'], string>> => ({
  timestamp: 'events.timestamp',
  created_at: 'events.received_at',
  event: 'events.event',
  distinct_id: 'events.distinct_id',
  uuid: idOrder('events.uuid'),
})

const writeEvents = (
  { events, range, hasProperties, texts, order, limit, offset }: EventsQuestion,
  engine: Engine,
  showText: (text: string) => string,
): string => {
  const { milliseconds } = engine
  const source = createEventSource(events, engine)
  const fields = orderSql(engine)
  const columns = [
    'events.uuid',
    showText('events.event'),
    showText('events.distinct_id'),
    'events.person_id',
    milliseconds('events.timestamp'),
    milliseconds('events.received_at'),
    hasProperties ? 'events.properties' : 'NULL',
    ...texts.map(source.writeText),
  ]
  const isNewestFirst = order[0]?.isDescending === true
  const keys = [...order, { by: 'uuid' as const, isDescending: isNewestFirst }].map(
    ({ by, isDescending }) => `${fields[by]}${isDescending ? ' DESC' : ''}`,
  )
  return source.toQuery(
    `SELECT ${columns.join(', ')} ${source.writeFrom(range)} ` +
      `ORDER BY ${keys.join(', ')} LIMIT ${limit + 1} OFFSET ${offset}`,
  )
}
