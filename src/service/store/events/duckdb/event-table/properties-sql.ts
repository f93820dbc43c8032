import { writeJsonPointer } from '../../../../sql/json-pointer.ts'
import { quoteString } from '../../../../sql/quote.ts'
import type { PropertyColumn, PropertyColumns } from './property-column.ts'
import { columnName } from './property-column.ts'
import type { MemberForm } from './split-properties.ts'
import { MAX_PIECES, MEMBER_FORMS, memberNumber, parseShape, PIECE_SEPARATOR } from './split-properties.ts'

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
  const hasForm = (form: MemberForm): string => `contains(shape, '{${memberNumber(column.number, form)}}')`
  return `CASE WHEN ${hasForm('string')} THEN system.main.to_json(${name}) WHEN ${hasForm('json')} THEN ${name}::JSON
    WHEN ${hasForm('null')} THEN 'null'::JSON ELSE ${restSql(column, 'json')} END`
}

/**
 * The table of events with a column of the pieces of `rest`, which DuckDB divides once so, and not for each piece.
 *
 * @param condition SQL for the events that it has. Default: all.
 */
export const eventsWithPieces = (condition = 'true'): string =>
  `(SELECT *, system.main.string_split(rest[2:-2], ${quoteString(PIECE_SEPARATOR)}) AS pieces
  FROM internal.events WHERE ${condition}) AS events`

/**
 * SQL for all properties of an event of `eventsWithPieces`, as JSON.
 *
 * @param shapes Frequent shapes, for which it takes a third of the time.
 */
export const propertiesSql = (columns: PropertyColumns, shapes: readonly string[]): string => {
  const byNumber = new Map([...columns.values()].map((column) => [column.number, column]))
  const cases = shapes.map((shape) => `WHEN ${quoteString(shape)} THEN ${shapeSql(byNumber, shape)}`)
  return `(CASE shape ${cases.join(' ')} WHEN '' THEN '{}' ELSE ${anyShapeSql(columns)} END)::JSON`
}

const shapeSql = (byNumber: ReadonlyMap<number, PropertyColumn>, shape: string): string => {
  const parts = parseShape(shape).map((part) => {
    if ('piece' in part) return pieceSql(part.piece)
    const column = byNumber.get(part.column)!
    return `${quoteString(keyOf(column))}, ${memberValueSql(column, part.form)}`
  })
  return `system.main.concat('{', ${parts.join(", ',', ")}, '}')`
}

/** DuckDB computes each argument for each row, whether or not the shape of the row has it. */
const anyShapeSql = (columns: PropertyColumns): string => {
  const pieces = Array.from({ length: MAX_PIECES }, (_, index) => `coalesce(${pieceSql(index)}, '')`)
  const members = [...columns.values()].flatMap((column) =>
    MEMBER_FORMS.map((form) => `system.main.concat(${quoteString(keyOf(column))}, ${memberValueSql(column, form)})`),
  )
  return `system.main.concat('{', system.main.format(shape, ${[...pieces, ...members].join(', ')}), '}')`
}

const pieceSql = (index: number): string => `pieces[${index + 1}]`

const keyOf = ({ property }: PropertyColumn): string => `${JSON.stringify(property)}:`

const memberValueSql = (column: PropertyColumn, form: MemberForm): string => {
  if (form === 'null') return "'null'"
  return form === 'string' ? `system.main.to_json(${columnName(column)})` : columnName(column)
}

/** SQL for the value that a row has in `rest`: the row is older than the column. */
const restSql = ({ property }: PropertyColumn, kind: 'text' | 'json'): string =>
  extractSql('rest', writeJsonPointer([property]), kind)
