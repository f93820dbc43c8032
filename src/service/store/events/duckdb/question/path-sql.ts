import { quoteString } from '../../../../sql/quote.ts'
import type { EventSource } from '../../question/event-source.ts'
import { createEventSource } from './event-source.ts'
import { writeNaming } from './item-naming.ts'
import type { BoundedPaths, EventColumn } from './path-events.ts'
import { EVENT_COLUMNS, writeEvents } from './path-events.ts'
import type { PathItems } from './path-items.ts'
import { writePersonLists } from './scan-persons.ts'
import type { SelectSql } from './select.ts'

/** Writes a SELECT with a row for each actor: the list of its events as packed numbers, in any order, and its id. */
export const writePathLists = (question: BoundedPaths, items: PathItems, packed: string): SelectSql => {
  const source = createEventSource(question.events)
  const numbered = writeNumbered(question, items, source, ['actor', 'time'])
  return {
    sql: source.toQuery(`SELECT list(${packed}), actor FROM (${numbered}) GROUP BY actor`, [LISTED]),
    parameters: { ...source.parameters, ...bindItems(items) },
  }
}

/** Writes a SELECT of the events of persons as packed numbers (`scanPersons`). */
export const writePersonPaths = (question: BoundedPaths, items: PathItems, packed: string): SelectSql => {
  const source = createEventSource(question.events)
  const numbered = writeNumbered(question, items, source, ['person', 'time'])
  return {
    sql: source.toQuery(writePersonLists(`SELECT person, ${packed} AS number FROM (${numbered})`), [LISTED]),
    parameters: { ...source.parameters, ...bindItems(items) },
  }
}

/** Actors by their ids, or persons by their numbers. */
export type ChosenActors = { readonly ids: readonly string[] } | { readonly numbers: readonly number[] }

/**
 * Writes a SELECT of the events of some actors, or of all, in the order of actors, times and uuids: the number of the item, the time, and
 * the actor if it is another one than before.
 */
export const writePathRows = (question: BoundedPaths, items: PathItems, actors: ChosenActors | null): SelectSql => {
  const source = createEventSource(question.events)
  const write = (columns: readonly EventColumn[]): string => writeNumbered(question, items, source, columns)
  const choose = (numbered: string, isChosen: string): string =>
    `SELECT ${EVENT_COLUMNS.join(', ')}, number FROM (${numbered}) WHERE ${isChosen}`
  const chosen = 'SELECT unnest($actors::VARCHAR::JSON::VARCHAR[])'
  if (actors === null)
    return {
      sql: source.toQuery(writeInOrder(write(EVENT_COLUMNS)), [LISTED]),
      parameters: { ...source.parameters, ...bindItems(items) },
    }
  const type = question.actor.of === 'person' ? 'UUID' : 'VARCHAR'
  const from =
    'ids' in actors
      ? choose(write(EVENT_COLUMNS), `actor IN (${chosen}::${type})`)
      : choose(write([...EVENT_COLUMNS, 'person']), `person IN (${chosen}::INTEGER)`)
  return {
    sql: source.toQuery(writeInOrder(from), [LISTED]),
    parameters: {
      ...source.parameters,
      ...bindItems(items),
      actors: JSON.stringify('ids' in actors ? actors.ids : actors.numbers),
    },
  }
}

/**
 * Writes the SELECT of `writePathRows` for items that nothing lists: they are numbered in the order of their bytes. A fourth column has
 * the text of an item, in rows without a time: those of the named items are before the events, those of all items after them.
 */
export const writeRankedPathRows = (question: BoundedPaths, named: readonly string[]): SelectSql => {
  const source = createEventSource(question.events)
  const { excluded } = question.items
  const items = writeNaming(
    { select: writeEvents(question, source, EVENT_COLUMNS), others: EVENT_COLUMNS },
    question.items,
  )
  const counted = excluded.length === 0 ? '' : ` WHERE item NOT IN (${excluded.map(quoteString).join(', ')})`
  const ranked = `SELECT actor, time, uuid, item, (dense_rank() OVER (ORDER BY item))::INTEGER - 1 AS number FROM (${items})${counted}`
  const text = 'SELECT number, NULL::DOUBLE AS time, NULL::VARCHAR AS start, item FROM ranked'
  const rows = [
    ...(named.length === 0 ? [] : [`${text} WHERE item IN (${named.map(quoteString).join(', ')})`]),
    `SELECT number, time, start, NULL::VARCHAR AS item FROM (${writeInOrder('SELECT actor, time, uuid, number FROM ranked')})`,
    text,
  ]
  // UNION ALL keeps the order of its parts.
  const sql = source.toQuery(rows.join(' UNION ALL '), [`ranked AS MATERIALIZED (${ranked})`])
  return { sql, parameters: source.parameters }
}

/** The table of the listed items. */
const LISTED =
  'listed AS MATERIALIZED (SELECT unnest($keys::VARCHAR::JSON::VARCHAR[]) AS key, unnest($numbers::VARCHAR::JSON::INTEGER[]) AS number)'

const bindItems = ({ keys, numbers }: PathItems): Readonly<Record<string, string>> => ({
  keys: JSON.stringify(keys),
  numbers: JSON.stringify(numbers),
})

/** Writes a SELECT of the columns of each event and the number of its item. */
const writeNumbered = (
  question: BoundedPaths,
  { key }: PathItems,
  source: EventSource,
  columns: readonly EventColumn[],
): string => {
  const events = writeEvents(question, source, columns)
  const keyed = key === 'value' ? events : writeNaming({ select: events, others: columns }, question.items)
  return `SELECT ${columns.join(', ')}, number FROM (${keyed}) JOIN listed ON listed.key = ${key}`
}

const writeInOrder = (numbered: string): string => {
  const isStart = 'actor IS DISTINCT FROM lag(actor) OVER (ORDER BY actor, time, uuid)'
  return (
    `SELECT number, time::DOUBLE AS time, CASE WHEN ${isStart} THEN actor::VARCHAR END AS start FROM (${numbered}) ` +
    'ORDER BY actor, time, uuid'
  )
}
