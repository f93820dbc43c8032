import { NO_ITEM } from '../../../../insight/paths/walk-paths.ts'
import { ROWS_PER_YIELD } from '../../../../work-in-chunks.ts'
import { createEventSource } from './event-source.ts'
import { writeNaming } from './item-naming.ts'
import type { BoundedPaths } from './path-events.ts'
import { writeEvents } from './path-events.ts'
import type { RowReader } from '../query/scan-rows.ts'
import type { Scan, SelectSql } from './select.ts'

/** Most values whose items are listed, and most characters of all of them (8 Mi): they are a parameter of later SELECTs. */
const MAX_VALUES = 16_384
const MAX_CHARACTERS = 8 * 1024 * 1024

/** What events are named by: their values, or the items that the rules make of these. */
type KeyKind = 'value' | 'item'

/** The items of a question, where there are few of them. */
export interface PathItems {
  readonly key: KeyKind
  /** The keys of events that are items. */
  readonly keys: readonly string[]
  /** The number of the item of each key. */
  readonly numbers: readonly number[]
  /** The items by their numbers, which are in the order of their bytes. */
  readonly texts: readonly string[]
}

/**
 * Lists the different items of the events, so that the rules are applied to them and not to each event: by the values of events, or, if
 * these are too many, by what the rules make of them. Null if the items are too many, too.
 */
export const listItems = async (question: BoundedPaths, scan: Scan): Promise<PathItems | null> => {
  const byValue = (await haveManyValues(question, scan)) ? null : await listKeys(question, 'value', scan)
  return byValue ?? listKeys(question, 'item', scan)
}

/** Events whose values are counted first. */
const PROBED_EVENTS = 2 * MAX_VALUES

/** Whether some of the events alone have too many different values. Of ten million URLs, all take DuckDB a second, these 10 ms. */
const haveManyValues = (question: BoundedPaths, scan: Scan): Promise<boolean> => {
  const source = createEventSource(question.events)
  const events = `SELECT value FROM (${writeEvents(question, source, [])}) LIMIT ${PROBED_EVENTS}`
  let count = 0
  const sql = source.toQuery(`SELECT count(DISTINCT value)::INTEGER FROM (${events})`)
  const reader: RowReader<boolean> = {
    *read(chunk) {
      count = chunk.getColumnVector(0).getItem(0) as number
      yield
    },
    *end() {
      yield
      return count > MAX_VALUES
    },
  }
  return scan(sql, reader, source.parameters)
}

const listKeys = (question: BoundedPaths, key: KeyKind, scan: Scan): Promise<PathItems | null> => {
  const excluded = new Set(question.items.excluded)
  const keys: string[] = []
  const numbers: number[] = []
  const texts: string[] = []
  let [count, characters] = [0, 0]
  const isTooMuch = (): boolean => count > MAX_VALUES || characters > MAX_CHARACTERS
  const reader: RowReader<PathItems | null> = {
    *read(chunk) {
      const [values, items] = [chunk.getColumnVector(0), chunk.getColumnVector(1)]
      const { rowCount } = chunk
      count += rowCount
      for (let row = 0; row < rowCount && !isTooMuch(); row++) {
        if (row % ROWS_PER_YIELD === ROWS_PER_YIELD - 1) yield
        const item = String(items.getItem(row))
        const value = key === 'item' ? item : String(values.getItem(row))
        characters += value.length
        if (excluded.has(item)) continue
        if (texts.at(-1) !== item) texts.push(item)
        keys.push(value)
        numbers.push(texts.length - 1)
      }
    },
    *end() {
      yield
      return isTooMuch() ? null : { key, keys, numbers, texts }
    },
  }
  const { sql, parameters } = writeKeys(question, key)
  return scan(sql, reader, parameters)
}

/** Finds the number of an item. */
export const createNumberOf = (texts: readonly string[]): ((item: string) => number) => {
  const numbers = new Map(texts.map((text, number) => [text, number]))
  return (item) => numbers.get(item) ?? NO_ITEM
}

/** Writes a SELECT of each different value and its item, or of each different item twice, in the order of the items. */
const writeKeys = (question: BoundedPaths, key: KeyKind): SelectSql => {
  const source = createEventSource(question.events)
  const events = writeEvents(question, source, [])
  const limit = `LIMIT ${MAX_VALUES + 1}`
  const named =
    key === 'value'
      ? writeNaming({ select: `SELECT DISTINCT value FROM (${events}) ${limit}`, others: [] }, question.items)
      : `SELECT DISTINCT item AS value, item FROM (${writeNaming({ select: events, others: [] }, question.items)}) ${limit}`
  return { sql: source.toQuery(`SELECT value, item FROM (${named}) ORDER BY item`), parameters: source.parameters }
}
