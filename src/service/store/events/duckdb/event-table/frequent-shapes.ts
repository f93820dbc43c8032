import type { DuckDBConnection } from '@duckdb/node-api'
import { countEvents } from './count-events.ts'

/** Places of the table that are looked at, and rows of each. */
const PLACES = 16
const ROWS_PER_PLACE = 1024

/** Each makes the SQL longer, and a query that uses it slower to plan. */
const MAX_SHAPES = 16

/** Reads the shapes (`SplitProperties.shape`) of many rows from a sample of the table, most frequent first. */
export const readFrequentShapes = async (connection: DuckDBConnection): Promise<readonly string[]> => {
  const rowCount = await countEvents(connection)
  const places = Array.from({ length: PLACES }, (_, index) => Math.floor((rowCount * index) / PLACES))
  const reader = await connection.runAndReadAll(
    `SELECT shape FROM internal.events
      WHERE ${places.map((first) => `rowid BETWEEN ${first} AND ${first + ROWS_PER_PLACE - 1}`).join(' OR ')}
      GROUP BY shape HAVING shape <> '' ORDER BY count(*) DESC, shape LIMIT ${MAX_SHAPES}`,
  )
  return reader.getRows().map(([shape]) => String(shape))
}
