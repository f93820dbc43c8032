import type { ActorWindows } from '../../../../insight/funnel/find-windows.ts'
import type { ItemType, PathsQuestion } from '../../../../insight/question/paths.ts'
import type { Actor } from '../../../../insight/question/subject.ts'
import type { EventSource } from '../../question/event-source.ts'
import { PERSON_NUMBER } from './duckdb-engine.ts'
import { EVENT_TIME } from './event-source.ts'

/** What the events of an actor are ordered by. */
export const EVENT_COLUMNS = ['actor', 'time', 'uuid'] as const

/** What is read of an event beside its text; `person`: the number of its person. */
export type EventColumn = (typeof EVENT_COLUMNS)[number] | 'person'

/** A question of paths, and the times of actors in which their events count; null for all events. */
export interface BoundedPaths extends PathsQuestion {
  readonly windows: ActorWindows | null
}

/** Writes a SELECT of the columns of each event and `value`, its text before the rules. */
export const writeEvents = (paths: BoundedPaths, source: EventSource, columns: readonly EventColumn[]): string => {
  const { windows, actor } = paths
  if (windows === null) return writeAllEvents(paths, source, columns)
  const events = writeAllEvents(paths, source, [...new Set([...columns, 'actor', 'time'] as const)])
  return (
    `SELECT ${[...columns, 'value'].join(', ')} FROM (${events}) ` +
    `JOIN (${writeWindows(windows, actor, source)}) ON window_actor = actor WHERE time BETWEEN window_from AND window_to`
  )
}

const writeWindows = ({ actors, from, to }: ActorWindows, { of }: Actor, { bind }: EventSource): string => {
  const unnest = (list: readonly unknown[], type: string): string =>
    `unnest(${bind(JSON.stringify(list))}::JSON::${type}[])`
  const id = `${unnest(actors, 'VARCHAR')}::${of === 'person' ? 'UUID' : 'VARCHAR'}`
  return `SELECT ${id} AS window_actor, ${unnest(from, 'BIGINT')} AS window_from, ${unnest(to, 'BIGINT')} AS window_to`
}

const writeAllEvents = (
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
