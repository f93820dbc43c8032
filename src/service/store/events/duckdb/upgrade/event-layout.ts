import type { DuckDBConnection } from '@duckdb/node-api'
import { STORAGE_VERSION } from '../attach-file.ts'

/** Where a file has its events, and in which columns. */
export interface EventLayout {
  readonly table: string
  /** In `earlier` versions the properties of an event were in one column. */
  readonly version: 'current' | 'earlier'
  readonly columns: ReadonlySet<string>
}

/** The tables of events in this version and in earlier ones. */
const EVENT_TABLES = ['internal.events', 'internal.event']

/** The columns of properties in this version (`schema.ts`). */
const CURRENT_COLUMNS = ['layout', 'shape', 'rest']

/** The layout of a connection's file; null if it has no table of events. Rejects if this version cannot read the events. */
export const readEventLayout = async (connection: DuckDBConnection): Promise<EventLayout | null> => {
  const layouts: EventLayout[] = []
  for (const table of EVENT_TABLES) {
    const columns = await listColumns(connection, table)
    if (columns.has('properties')) layouts.push({ table, version: 'earlier', columns })
    else if (CURRENT_COLUMNS.every((name) => columns.has(name))) layouts.push({ table, version: 'current', columns })
    else if (columns.size > 0)
      throw new Error(
        `The table ${table} has columns that this version does not know: ${[...columns].join(', ')}. ` +
          'Start the version of Waymark that wrote the file.',
      )
  }
  if (layouts.length > 1) throw new Error(`The file has more than one table of events: ${EVENT_TABLES.join(', ')}.`)
  return layouts[0] ?? null
}

/**
 * Whether a file must be copied before it is used: it is in another storage version of DuckDB (older ones have no zstd), or has the
 * properties of an event in one column.
 */
export const needsUpgrade = async (connection: DuckDBConnection): Promise<boolean> => {
  const layout = await readEventLayout(connection)
  if (layout?.version === 'earlier') return true
  const reader = await connection.runAndReadAll(
    "SELECT tags['storage_version'] FROM duckdb_databases() WHERE database_name = current_database()",
  )
  const [[version = ''] = []] = reader.getRows()
  return version !== `${STORAGE_VERSION}+`
}

/** The names of a table's columns, in the connection's own catalog; empty if there is no such table. */
const listColumns = async (connection: DuckDBConnection, table: string): Promise<ReadonlySet<string>> => {
  const reader = await connection.runAndReadAll(
    `SELECT column_name FROM duckdb_columns()
      WHERE schema_name || '.' || table_name = $1 AND database_name = current_database()`,
    [table],
  )
  return new Set(reader.getRows().map(([name]) => String(name)))
}

/** The tables of the connection's own catalog, with their schemas. */
export const listTables = async (connection: DuckDBConnection): Promise<readonly string[]> => {
  const reader = await connection.runAndReadAll(
    "SELECT schema_name || '.' || table_name FROM duckdb_tables() WHERE database_name = current_database() AND NOT temporary",
  )
  return reader.getRows().map(([name]) => String(name))
}
