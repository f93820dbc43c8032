import type { DuckDBConnection, DuckDBDataChunk, DuckDBResult } from '@duckdb/node-api'

/** A streamed result broke off. DuckDB does not tell why; only running the statement again, without a stream, does. */
export class BrokenStreamError extends Error {
  override readonly name = 'BrokenStreamError'
}

/**
 * Reads a streamed result in chunks of up to 2,048 rows. Throws `BrokenStreamError` if not all rows could be read: DuckDB ends a stream
 * that failed as one that is complete (https://github.com/duckdb/duckdb-rs/pull/664), but the failure aborts the transaction.
 *
 * A reader that stops early ends the stream and aborts the transaction: otherwise the stream would keep the file open until the garbage
 * collector finds it, even after the instance was closed (see `openInstance`).
 *
 * @param connection Has an open transaction.
 */
export const streamChunks = async function* (
  connection: DuckDBConnection,
  result: DuckDBResult,
): AsyncGenerator<DuckDBDataChunk> {
  let hasEnded = false
  const fetchNext = async (): Promise<DuckDBDataChunk | null> => {
    const chunk = await result.fetchChunk().catch((error: unknown) => {
      hasEnded = true
      throw error
    })
    hasEnded = chunk === null || chunk.rowCount === 0
    return hasEnded ? null : chunk
  }
  try {
    for (let chunk = await fetchNext(); chunk !== null; chunk = await fetchNext()) yield chunk
    await checkTransaction(connection)
  } finally {
    if (!hasEnded) {
      do connection.interrupt()
      while ((await fetchNext()) !== null)
    }
  }
}

/** An aborted transaction refuses every statement, but not COMMIT. */
const checkTransaction = async (connection: DuckDBConnection): Promise<void> => {
  try {
    await connection.run('SELECT 1')
  } catch (cause) {
    throw new BrokenStreamError('Not all rows of the result could be read.', { cause })
  }
}
