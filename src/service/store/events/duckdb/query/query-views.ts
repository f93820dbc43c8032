import { selectEvents } from '../event-table/select-events.ts'
import {
  columnJsonSql,
  columnTextSql,
  eventsWithPieces,
  extractSql,
  propertiesSql,
} from '../event-table/properties-sql.ts'
import { writeJsonPointer } from '../../../../sql/json-pointer.ts'
import { RESOLVED_PERSONS } from '../resolved-views.ts'
import { CHANGE_COLUMNS, CURRENT_GROUPS, foldedSql } from '../property-changes.ts'
import type { PropertyColumns } from '../event-table/property-column.ts'
import { quoteString } from '../../../../sql/quote.ts'
import type { ColumnUse, PropertyKind, PropertyRead } from './column-use.ts'
import { PROPERTY_FUNCTIONS } from './column-use.ts'
import { lazyColumnSql } from './lazy-column.ts'
import type { PropertyPath } from './property-path.ts'
import { parsePropertyPath } from './property-path.ts'

export interface QueryViewsOptions {
  /** Whether the result has all properties of persons or groups, so that the struct must contain them as JSON. */
  readonly hasJson: boolean
  /** Whether `events` has the column `PERSON_NUMBER_COLUMN`. */
  readonly hasPersonNumber: boolean
}

/**
 * The statements that create temporary views for one query, in which `properties` is a struct of exactly the paths that the query
 * reads. So DuckDB reads the columns of these properties and nothing else.
 *
 * Columns that may only pass through to the result are structs, too (`LazyColumn`): what a result needs of them is read
 * afterwards, for its rows alone.
 *
 * Null if the query reads a path that these views do not have.
 */
export const createQueryViews = (
  { reads, usesIds, tables }: ColumnUse,
  columns: PropertyColumns,
  { hasJson, hasPersonNumber }: QueryViewsOptions,
): readonly string[] | null => {
  const paths = reads.map((read) => ({ read, path: parsePropertyPath(read.path) }))
  if (paths.some(({ path }) => path === null)) return null
  const fieldsOf = (table: string, fieldSql: (path: PropertyPath, kind: PropertyKind) => string): string[] => [
    ...new Set(
      paths
        .filter(({ read }) => mayMean(read, table))
        .map(({ read, path }) => `${fieldName(read)} := ${fieldSql(path!, read.kind)}`),
    ),
  ]
  const eventsSelect = (): string => {
    const fields = fieldsOf('events', (path, kind) => eventFieldSql(columns, path, kind))
    const properties = lazyColumnSql('row of properties', 'events.rowid', fields)
    const ids = usesIds || hasPersonNumber ? undefined : LAZY_IDS
    return selectEvents(columns, properties, { ids, hasPersonNumber })
  }
  const jsonSelect = (table: string): string => {
    const properties = lazyColumnSql('json', hasJson ? foldedSql : 'NULL', fieldsOf(table, jsonFieldSql))
    const from = table === 'persons' ? RESOLVED_PERSONS : CURRENT_GROUPS
    return `SELECT * EXCLUDE (${CHANGE_COLUMNS}) REPLACE (${properties} AS properties) FROM ${from}`
  }
  return TABLES_WITH_PROPERTIES.filter((table) => tables.has(table)).map(
    (table) => `CREATE OR REPLACE TEMP VIEW ${table} AS ${table === 'events' ? eventsSelect() : jsonSelect(table)}`,
  )
}

/** The statement that creates a view for one query that needs all properties of events as JSON. */
export const createJsonView = (
  columns: PropertyColumns,
  shapes: readonly string[],
  options: Pick<QueryViewsOptions, 'hasPersonNumber'>,
): string =>
  `CREATE OR REPLACE TEMP VIEW events AS ${selectEvents(columns, propertiesSql(columns, shapes), { ...options, from: eventsWithPieces() })}`

/**
 * The statements that create macros for the views of `createQueryViews`. They have the names of the JSON functions that the query
 * calls, and read a field of the struct. DuckDB binds a macro wherever the function is called, so the SQL itself stays as it is.
 */
export const createPropertyMacros = ({ functions }: ColumnUse): readonly string[] =>
  [...PROPERTY_FUNCTIONS]
    .filter(([name]) => functions.has(name))
    .map(
      ([name, kind]) =>
        `CREATE OR REPLACE TEMP MACRO "${name}"(properties, path) AS
          struct_extract(properties, '${kind}_' || lower(hex(path)))`,
    )

const TABLES_WITH_PROPERTIES = ['events', 'persons', 'groups']

const LAZY_IDS = {
  distinctId: lazyColumnSql('number of distinct_id', 'distinct_id_number'),
  personId: lazyColumnSql('number of person_id', 'distinct_id_number'),
}

/** Whether a read may be of a table's properties. */
const mayMean = ({ table }: PropertyRead, name: string): boolean =>
  table === name || table === null || !TABLES_WITH_PROPERTIES.includes(table)

/** The name of a read's field: in hexadecimal digits, because DuckDB ignores the case of names. */
const fieldName = ({ kind, path }: PropertyRead): string => `${kind}_${Buffer.from(path).toString('hex')}`

const eventFieldSql = (
  columns: PropertyColumns,
  { key, inner, jsonPath }: PropertyPath,
  kind: PropertyKind,
): string => {
  const column = columns.get(key)
  if (column === undefined) return extractSql('rest', jsonPath, kind)
  if (inner !== null) return extractSql(columnJsonSql(column), inner, kind)
  if (kind === 'type') return `system.main.json_type(${columnJsonSql(column)})`
  return kind === 'text' ? columnTextSql(column) : columnJsonSql(column)
}

/** For a table with its properties as JSON, and changes of large ones beside them. */
const jsonFieldSql = ({ key, inner, jsonPath }: PropertyPath, kind: PropertyKind): string => {
  const change = writeJsonPointer([key])
  const value = `${change}/0`
  const changedSql =
    inner === null ? extractSql('changed', value, kind) : extractSql(extractSql('changed', value, 'json'), inner, kind)
  return `CASE WHEN system.main.json_exists(changed, ${quoteString(change)}) THEN ${changedSql}
    ELSE ${extractSql('properties', jsonPath, kind)} END`
}
