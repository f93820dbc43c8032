import { writeJsonPointer } from '../../../../sql/json-pointer.ts'
import { quoteString } from '../../../../sql/quote.ts'
import type { PropertyColumn, PropertyColumns } from './property-column.ts'
import { columnName } from './property-column.ts'
import type { MemberForm } from './split-properties.ts'
import { MAX_PIECES, memberNumber, PIECE_SEPARATOR } from './split-properties.ts'

/** DuckDB's functions that read a path. */
export const EXTRACT_FUNCTIONS = { text: 'json_extract_string', json: 'json_extract', type: 'json_type' } as const

/**
 * SQL for a path in JSON, as text, as JSON or as the name of its type. The functions are qualified, because the connection of a query
 * has macros of the same names (`query-views.ts`).
 */
export const extractSql = (json: string, path: string, kind: keyof typeof EXTRACT_FUNCTIONS): string =>
  `system.main.${EXTRACT_FUNCTIONS[kind]}(${json}, ${quoteString(path)})`

/** SQL for a property with a column, as `->>` returns it. */
export const columnTextSql = (column: PropertyColumn): string =>
  column.unfilledRows === 0
    ? columnName(column)
    : `CASE WHEN layout > ${column.number} THEN ${columnName(column)} ELSE ${restSql(column, 'text')} END`

/** SQL for a property with a column, as `json_extract` returns it. */
export const columnJsonSql = (column: PropertyColumn): string => {
  const name = columnName(column)
  const hasForm = (form: MemberForm): string => `contains(shape, '{${memberNumber(column, form)}}')`
  return `CASE WHEN ${hasForm('string')} THEN to_json(${name}) WHEN ${hasForm('json')} THEN ${name}::JSON
    WHEN ${hasForm('null')} THEN 'null'::JSON ELSE ${restSql(column, 'json')} END`
}

/** SQL for all properties of an event, as JSON. */
export const propertiesSql = (columns: PropertyColumns): string => {
  const pieces = Array.from(
    { length: MAX_PIECES },
    (_, index) => `coalesce(string_split(rest[2:-2], ${quoteString(PIECE_SEPARATOR)})[${index + 1}], '')`,
  )
  const members = [...columns.values()].flatMap((column) => {
    const key = `${JSON.stringify(column.property)}:`
    const name = columnName(column)
    return [
      `concat(${quoteString(key)}, to_json(${name}))`,
      `concat(${quoteString(key)}, ${name})`,
      quoteString(`${key}null`),
    ]
  })
  return `('{' || format(shape, ${[...pieces, ...members].join(', ')}) || '}')::JSON`
}

/** SQL for the value that a row has in `rest`: the row is older than the column. */
export const restSql = ({ property }: PropertyColumn, kind: 'text' | 'json'): string =>
  extractSql('rest', writeJsonPointer([property]), kind)
