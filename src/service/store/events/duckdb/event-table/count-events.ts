import type { DuckDBConnection } from '@duckdb/node-api'

/** Counts the events of a connection's file that are committed or in its open transaction. */
export const countEvents = async (connection: DuckDBConnection): Promise<number> =>
  Number((await connection.runAndReadAll('SELECT count(*) FROM internal.events')).getRows()[0]![0])
