import type { ItemType, PathsQuestion } from '../../../../insight/question/paths.ts'
import type { EventSource } from './event-source.ts'
import { EVENT_TIME, PERSON_NUMBER } from './event-source.ts'

/** What the events of an actor are ordered by. */
export const EVENT_COLUMNS = ['actor', 'time', 'uuid'] as const

/** What is read of an event beside its text; `person`: the number of its person. */
export type EventColumn = (typeof EVENT_COLUMNS)[number] | 'person'

/** Writes a SELECT of the columns of each event and `value`, its text before the rules. */
export const writeEvents = (
  { range, actor, items }: PathsQuestion,
  source: EventSource,
  columns: readonly EventColumn[],
): string => {
  const { isItem, value } = writeItem(items.types, source)
  const actorSql = source.writeActor(actor)
  const sql = { actor: actorSql, time: EVENT_TIME, uuid: 'events.uuid', person: PERSON_NUMBER }
  const read = columns.map((column) => `${sql[column]} AS ${column}, `).join('')
  return `SELECT ${read}${value} AS value ${source.writeFrom(range, isItem, `${actorSql} IS NOT NULL`, `${value} <> ''`)}`
}

/** SQL for the events that are items, and for what names them. */
interface ItemSql {
  /** Whether an event is of one of the types. */
  readonly isItem: string
  /** The text of an event before the rules; of a URL, without the slash at its end. */
  readonly value: string
}

/** SQL for whether an event is of a type, and for its text. */
interface TypeSql {
  readonly test: string
  readonly value: string
}

const writeItem = (types: readonly ItemType[], source: EventSource): ItemSql => {
  const kinds = types.map((type) => writeType(type, source))
  const [kind] = kinds
  return {
    isItem: `(${kinds.map(({ test }) => test).join(' OR ')})`,
    // DuckDB hashes a column as it is stored, each different value once; a CASE takes that from it.
    value:
      kinds.length === 1
        ? kind!.value
        : `CASE ${kinds.map(({ test, value }) => `WHEN ${test} THEN ${value}`).join(' ')} END`,
  }
}

const writeType = (type: ItemType, { writeText }: EventSource): TypeSql => {
  const read = (name: string): string => writeText({ source: { of: 'event' }, name })
  switch (type) {
    case 'page': {
      const url = read('$current_url')
      const value = `CASE WHEN ends_with(${url}, '/') AND ${url} <> '/' THEN ${url}[:-2] ELSE ${url} END`
      return { test: "events.event = '$pageview'", value }
    }
    case 'screen':
      return { test: "events.event = '$screen'", value: read('$screen_name') }
    default:
      return { test: "NOT starts_with(events.event, '$')", value: 'events.event' }
  }
}
