import { findClosestName } from '../../closest-name.ts'
import { HOT_PROPERTIES } from './hot-properties.ts'

/** How an engine's SQL is read and written. */
export interface ColumnDialect {
  readonly quoteString: (value: string) => string
  /** Writes the property of that name as a string. */
  readonly readProperty: (name: string) => string
}

/** The columns of the tables that queries may read. */
const COLUMNS: readonly string[] = [
  'uuid,event,distinct_id,person_id,timestamp,received_at,historical,properties'.split(','),
  'id,created_at,is_identified,group_type,group_key'.split(','),
  HOT_PROPERTIES,
].flat()

/**
 * Says what to write in the place of a column that does not exist: newcomers name a property like a column, or put a string into double
 * quotes.
 *
 * @param name as the engine names it in its error.
 */
export const explainUnknownColumn = (
  name: string,
  sql: string,
  { quoteString, readProperty }: ColumnDialect,
): string => {
  const isQuoted = sql.includes(`"${name.replaceAll('"', '""')}"`)
  const closest = findClosestName(name, COLUMNS)
  return [
    isQuoted && `Double quotes are for names of columns; write a string as ${quoteString(name)}.`,
    closest !== null && `Did you mean the column "${closest}"?`,
    `A property is read as ${readProperty(name)}.`,
  ]
    .filter((sentence) => sentence !== false)
    .join(' ')
}
