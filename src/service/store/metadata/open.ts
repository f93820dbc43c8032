import Sqlite from 'better-sqlite3'
import { Kysely, Migrator, SqliteDialect } from 'kysely'
import { migrations } from './migrations.ts'
import type { Database } from './schema.ts'

/** The metadata of a data folder, shared by the front, the indexer and the command line: each process opens its own. */
export type Metadata = Kysely<Database>

/** How long a statement waits for another process's write, in milliseconds. */
const BUSY_TIMEOUT_MS = 10_000

/** Opens the metadata file, creating it when it is not there, and brings its tables up to date. `close` by `destroy()`. */
export const openMetadata = async (path: string): Promise<Metadata> => {
  const metadata = connectMetadata(path)
  const { error } = await new Migrator({
    db: metadata,
    provider: { getMigrations: () => Promise.resolve(migrations) },
  }).migrateToLatest()
  if (error === undefined) return metadata
  await metadata.destroy()
  throw new Error(`The metadata in ${path} could not be brought up to date.`, { cause: error })
}

/** Opens the metadata file as it is: for a process started by one that has brought it up to date. */
export const connectMetadata = (path: string): Metadata => {
  const database = new Sqlite(path, { timeout: BUSY_TIMEOUT_MS })
  database.pragma('journal_mode = WAL')
  database.pragma('synchronous = FULL')
  database.pragma('foreign_keys = ON')
  return new Kysely<Database>({ dialect: new SqliteDialect({ database }) })
}
