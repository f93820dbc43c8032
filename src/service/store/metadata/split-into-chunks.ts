/** Maximum number of rows or ids in one statement, far below the limits for parameters (SQLite 32,766, PostgreSQL 65,535). */
const CHUNK_ITEMS = 500

/** Splits a list into chunks that each fit into one SQL statement. */
export const splitIntoChunks = <Item>(list: readonly Item[]): Item[][] => {
  const chunks: Item[][] = []
  for (let start = 0; start < list.length; start += CHUNK_ITEMS) chunks.push(list.slice(start, start + CHUNK_ITEMS))
  return chunks
}
