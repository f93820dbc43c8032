import type { DuckDBConnection, DuckDBType, DuckDBValue } from '@duckdb/node-api'
import { DuckDBStructType, DuckDBStructValue } from '@duckdb/node-api'

/**
 * A column of which the views of a query (`query-views.ts`) have no value but a struct, whose first field says where the value
 * is. It is recognised in the result by the name of that field, and its value is read for the rows of the result alone.
 */
export type LazyColumn = 'properties' | 'distinct_id' | 'person_id'

/** The names of the first fields. */
const MARKERS: Readonly<Record<LazyColumn, string>> = {
  properties: 'waymark: properties as JSON',
  distinct_id: 'waymark: number of the distinct id',
  person_id: "waymark: number of the person's distinct id",
}

const TYPES: Readonly<Record<LazyColumn, string>> = {
  properties: 'JSON',
  distinct_id: 'VARCHAR',
  person_id: 'UUID',
}

const LAZY_COLUMNS = Object.keys(MARKERS) as readonly LazyColumn[]

export const isLazyColumn = (name: string): name is LazyColumn => Object.hasOwn(MARKERS, name)

/** SQL for the struct: its first value, and further fields as `name := value`. */
export const lazyColumnSql = (column: LazyColumn, first: string, fields: readonly string[] = []): string =>
  `struct_pack(${[`"${MARKERS[column]}" := ${first}`, ...fields].join(', ')})`

/** The column of which a type is the struct; null for any other type. */
export const lazyColumnOf = (type: DuckDBType): LazyColumn | null => {
  const first = type instanceof DuckDBStructType ? type.entryNames[0] : undefined
  return LAZY_COLUMNS.find((column) => MARKERS[column] === first) ?? null
}

/** Whether a type contains such a struct somewhere. */
export const containsLazyColumn = (type: DuckDBType): boolean => {
  const text = type.toString()
  return LAZY_COLUMNS.some((column) => text.includes(MARKERS[column]))
}

/** The type of the values that are returned. */
export const typeOfLazy = (column: LazyColumn | null): string | null => (column === null ? null : TYPES[column])

/** The first field of a struct; any other value as it is. */
export const readLazyValue = (value: DuckDBValue, column: LazyColumn | null): DuckDBValue =>
  column !== null && value instanceof DuckDBStructValue ? value.entries[MARKERS[column]]! : value

/** Replaces numbers of distinct ids in rows by the distinct ids or their persons, as the open transaction sees them. */
export const resolveIds = async (
  connection: DuckDBConnection,
  rows: readonly unknown[][],
  columns: readonly (LazyColumn | null)[],
): Promise<void> => {
  const places = [...columns.entries()].filter(([, column]) => column === 'distinct_id' || column === 'person_id')
  if (places.length === 0 || rows.length === 0) return
  const numbers = new Set(
    rows.flatMap((row) => places.map(([index]) => row[index])).filter((value) => typeof value === 'number'),
  )
  const reader = await connection.runAndReadAll(
    `SELECT number, distinct_id, coalesce(person_id, origin_id)::VARCHAR FROM internal.distinct_ids
      WHERE number IN (SELECT unnest(string_split($1, ','))::INTEGER)`,
    [[-1, ...numbers].join(',')],
  )
  const ids = new Map(reader.getRows().map(([number, ...values]) => [Number(number), values]))
  for (const row of rows) {
    for (const [index, column] of places) {
      const [distinctId = null, personId = null] = ids.get(Number(row[index])) ?? []
      if (row[index] !== null) row[index] = column === 'distinct_id' ? distinctId : personId
    }
  }
}
