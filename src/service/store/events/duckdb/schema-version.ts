import type { DuckDBConnection } from '@duckdb/node-api'
import { createHash } from 'node:crypto'
import { STORAGE_VERSION } from './attach-file.ts'
import { TABLES } from './schema.ts'

/** Changes with each change of the tables or of the storage version, so nobody has to count it up. */
const SCHEMA_VERSION = createHash('sha256')
  .update(JSON.stringify([STORAGE_VERSION, TABLES]))
  .digest('hex')

export const VERSION_TABLE = 'CREATE TABLE IF NOT EXISTS internal.schema_version (version VARCHAR NOT NULL)'

/** Whether a connection's file has the tables of this version. Reads one row: to look at each table takes ten times as long. */
export const hasCurrentSchema = async (connection: DuckDBConnection): Promise<boolean> => {
  try {
    const reader = await connection.runAndReadAll('SELECT version FROM internal.schema_version')
    return reader.getRows()[0]?.[0] === SCHEMA_VERSION
  } catch (error) {
    // A new file, or one of an earlier version.
    if (error instanceof Error && error.message.startsWith('Catalog Error')) return false
    throw error
  }
}

/** Creates the tables that a connection's file does not have. */
export const createTables = async (connection: DuckDBConnection): Promise<void> => {
  for (const statement of [...TABLES, VERSION_TABLE]) await connection.run(statement)
  // Last, so that a file whose tables are not complete has no version.
  await connection.run('BEGIN TRANSACTION')
  await connection.run('DELETE FROM internal.schema_version')
  await connection.run('INSERT INTO internal.schema_version VALUES ($1)', [SCHEMA_VERSION])
  await connection.run('COMMIT')
}
