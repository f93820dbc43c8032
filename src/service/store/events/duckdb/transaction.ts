import type { DuckDBConnection } from '@duckdb/node-api'

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
