import type { DuckDBConnection } from '@duckdb/node-api'
import { ROW_GROUP_ROWS } from '../attach-file.ts'

/** A file and its copy in the format of this version. */
export interface FilePair {
  /** A connection to the old file. */
  readonly reader: DuckDBConnection
  /** A connection to the new file. */
  readonly writer: DuckDBConnection
  /** The old file's catalog, as SQL for the writer. */
  readonly old: string
}

/** Rows of one commit of a copy: whole row groups at best. */
export const COMMIT_ROWS: number = 4 * ROW_GROUP_ROWS

/** Thrown when an unfinished copy is not one of the old file: somebody put another old file here. */
export class ForeignCopyError extends Error {
  override readonly name = 'ForeignCopyError'
}

/** How many events the new file has: the first rows of the old table. Rejects with `ForeignCopyError` if they are others. */
export const countCopiedRows = async ({ reader, writer }: FilePair, oldTable: string): Promise<number> => {
  const count = await readNumber(writer, 'SELECT count(*) FROM internal.events')
  if (count === 0) return 0
  const [copied, original] = await Promise.all([
    readLastUuid(writer, 'internal.events', count),
    readLastUuid(reader, oldTable, count),
  ])
  if (copied !== original)
    throw new ForeignCopyError('The unfinished copy has other events than the file. It is made again.')
  return count
}

const readLastUuid = async (connection: DuckDBConnection, table: string, count: number): Promise<unknown> => {
  const reader = await connection.runAndReadAll(`SELECT uuid::VARCHAR FROM ${table} WHERE rowid = ${count - 1}`)
  return reader.getRows()[0]?.[0]
}

/** Rejects if the new file does not have as many events as the old one. */
export const checkEventCount = async ({ reader, writer }: FilePair, oldTable: string): Promise<void> => {
  const count = await readNumber(reader, `SELECT count(*) FROM ${oldTable}`)
  const copiedCount = await readNumber(writer, 'SELECT count(*) FROM internal.events')
  if (copiedCount !== count)
    throw new Error(`The copy has ${copiedCount} events, but the file has ${count}. The file is not replaced.`)
}

/** Copies a whole table that has the same columns in both files, or fewer in the old one; in the writer's open transaction. */
export const replaceRows = async ({ writer, old }: FilePair, from: string, to: string): Promise<void> => {
  await writer.run(`DELETE FROM ${to}`)
  await writer.run(`INSERT INTO ${to} BY NAME FROM ${old}.${from}`)
}

/** The number after that of a table's last row. */
export const readRowCount = (connection: DuckDBConnection, table: string): Promise<number> =>
  readNumber(connection, `SELECT coalesce(max(rowid) + 1, 0) FROM ${table}`)

/** Reads the number that SQL with one row and one column returns. */
const readNumber = async (connection: DuckDBConnection, sql: string): Promise<number> =>
  Number((await connection.runAndReadAll(sql)).getRows()[0]?.[0])
