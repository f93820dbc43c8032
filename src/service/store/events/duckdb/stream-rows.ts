import type { DuckDBConnection, DuckDBResult, DuckDBValue } from '@duckdb/node-api'

/** Reads the rows of a result in lists of up to 2,048, so that a large result is never in memory as a whole. */
const readRowLists = async function* (result: DuckDBResult): AsyncGenerator<DuckDBValue[][]> {
  for (let chunk = await result.fetchChunk(); chunk !== null && chunk.rowCount > 0; chunk = await result.fetchChunk())
    yield chunk.getRows()
}

/** Runs SQL and reads its rows as `readRowLists` does. */
export const streamRows = async function* (connection: DuckDBConnection, sql: string): AsyncGenerator<DuckDBValue[][]> {
  yield* readRowLists(await connection.stream(sql))
}
