import type { DuckDBConnection, DuckDBValue } from '@duckdb/node-api'
import { streamChunks } from './stream-chunks.ts'
import { beginRead } from './transaction.ts'

/**
 * Runs a SELECT in a transaction of its own and reads its rows in lists of up to 2,048, so that a large result is never in memory as a
 * whole. Throws `BrokenStreamError` if not all rows could be read.
 */
export const streamRows = async function* (connection: DuckDBConnection, sql: string): AsyncGenerator<DuckDBValue[][]> {
  await beginRead(connection)
  try {
    for await (const chunk of streamChunks(connection, await connection.stream(sql))) yield chunk.getRows()
  } finally {
    await connection.run('ROLLBACK').catch(() => undefined)
  }
}
