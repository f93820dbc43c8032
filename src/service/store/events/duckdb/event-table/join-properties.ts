import type { PropertyColumn } from './property-column.ts'
import type { SplitProperties } from './split-properties.ts'
import { parseShape, PIECE_SEPARATOR } from './split-properties.ts'

/** The parts of an event's properties as the table has them. */
export interface StoredProperties extends SplitProperties {
  /** The text of a column; null without one. */
  readonly textOf: (column: number) => string | null
}

/**
 * Puts the properties of an event together again, as JSON: the same text as `propertiesSql`, which does it for all events of a query.
 *
 * @param columns By their numbers.
 */
export const joinProperties = (
  { shape, rest, textOf }: StoredProperties,
  columns: ReadonlyMap<number, PropertyColumn>,
): string => {
  const pieces = rest.slice(1, -1).split(PIECE_SEPARATOR)
  const members = parseShape(shape).map((part) => {
    if ('piece' in part) return pieces[part.piece]
    const text = textOf(part.column)
    const value = part.form === 'null' ? 'null' : part.form === 'string' ? toJson(text) : text
    return `${JSON.stringify(columns.get(part.column)!.property)}:${value}`
  })
  return `{${members.join(',')}}`
}

/** An escaped character, of which only `u00XX` has letters that differ. */
const ESCAPE = /\\(?:u00[\da-f]{2}|.)/g

/** Writes a text as DuckDB does (`to_json`): with capital letters in the escapes of control characters. */
const toJson = (text: string | null): string =>
  JSON.stringify(text).replaceAll(ESCAPE, (escape) =>
    escape.length === 2 ? escape : `\\u${escape.slice(2).toUpperCase()}`,
  )
