import Sqlite from 'better-sqlite3'
import { CompiledQuery, Kysely, Migrator, sql, SqliteDialect, SqliteDriver } from 'kysely'
import type { DatabaseConnection, Driver } from 'kysely'
import { keepStatements } from './kept-statements.ts'
import { migrations } from './migrations.ts'
import type { Database } from './schema.ts'

/** The metadata of a data folder, shared by the front, the indexer and the command line: each process opens its own. */
export type Metadata = Kysely<Database>

/** How long a statement waits for another process's write, in milliseconds. */
const BUSY_TIMEOUT_MS = 10_000

/** Pause before SQLite is asked again where it does not wait by itself. */
const RETRY_MS = 20

/** Opens the metadata file, creating it when it is not there, and brings its tables up to date. `close` by `destroy()`. */
export const openMetadata = async (path: string): Promise<Metadata> => {
  const metadata = connectMetadata(path)
  try {
    // The dialect migrates outside of any transaction: two processes that open a new folder would both create the tables.
    await metadata.connection().execute(async (connection) => {
      await sql`begin immediate`.execute(connection)
      const { error } = await new Migrator({
        db: connection,
        provider: { getMigrations: () => Promise.resolve(migrations) },
      }).migrateToLatest()
      if (error === undefined) await sql`commit`.execute(connection)
      if (error !== undefined) throw error
    })
    return metadata
  } catch (error) {
    await metadata.destroy()
    throw new Error(`The metadata in ${path} could not be brought up to date.`, { cause: error })
  }
}

/** Opens the metadata file as it is: for a process started by one that has brought it up to date. */
export const connectMetadata = (path: string): Metadata => {
  const database = new Sqlite(path, { timeout: BUSY_TIMEOUT_MS })
  useWriteAheadLog(database)
  database.pragma('synchronous = FULL')
  database.pragma('foreign_keys = ON')
  const dialect = new SqliteDialect({ database })
  return new Kysely<Database>({
    dialect: {
      createAdapter: () => dialect.createAdapter(),
      createIntrospector: (db) => dialect.createIntrospector(db),
      createQueryCompiler: () => dialect.createQueryCompiler(),
      createDriver: () => writingDriver(new SqliteDriver({ database: keepStatements(database) }), database),
    },
  })
}

/**
 * A transaction that begins by reading fails at its first write when another process has written since, without waiting.
 * One that SQLite itself took back, as it does when the disk is full, needs no rollback: asking for it would hide why.
 */
const writingDriver = (driver: Driver, database: Sqlite.Database): Driver =>
  Object.assign(driver, {
    rollbackTransaction: async (connection: DatabaseConnection) => {
      if (database.inTransaction) await connection.executeQuery(CompiledQuery.raw('rollback'))
    },
    beginTransaction: async (connection: DatabaseConnection) => {
      await connection.executeQuery(CompiledQuery.raw('begin immediate'))
    },
  })

/** SQLite does not wait for a lock when it changes the journal's mode, which the first process of a new folder does. */
const useWriteAheadLog = (database: Sqlite.Database): void => {
  const deadline = performance.now() + BUSY_TIMEOUT_MS
  for (;;) {
    try {
      database.pragma('journal_mode = WAL')
      return
    } catch (error) {
      const isBusy = error instanceof Sqlite.SqliteError && error.code.startsWith('SQLITE_BUSY')
      if (!isBusy || performance.now() > deadline) throw error
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, RETRY_MS)
    }
  }
}
