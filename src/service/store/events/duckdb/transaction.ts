import type { DuckDBConnection } from '@duckdb/node-api'

/** Begins a transaction that only reads: all its statements see the same rows. It is ended by a ROLLBACK. */
export const beginRead = async (connection: DuckDBConnection): Promise<void> => {
  await connection.run('BEGIN TRANSACTION READ ONLY')
}

/** Runs work in a transaction of its own: commits it, or rolls it back and rejects if the work or the commit fails. */
export const runTransaction = async (connection: DuckDBConnection, work: () => Promise<void>): Promise<void> => {
  await connection.run('BEGIN TRANSACTION')
  try {
    await work()
    await connection.run('COMMIT')
  } catch (error) {
    await connection.run('ROLLBACK').catch(() => undefined)
    throw error
  }
}
