import { CompiledQuery, Kysely, Migrator, sql, SqliteDialect, SqliteDriver } from 'kysely'
import type { DatabaseConnection, Driver } from 'kysely'
import { createFileGuard } from '../file/file-guard.ts'
import { isSqliteError, openSqlite } from '../sqlite/sqlite.ts'
import type { SqliteDatabase } from '../sqlite/sqlite.ts'
import { cacheStatements } from './cache-statements.ts'
import { migrations } from './migrations.ts'
import { connectPostgres } from './postgres/connect-postgres.ts'
import { migratePostgres } from './postgres/migrate-postgres.ts'
import { describePostgres } from './postgres/postgres-source.ts'
import type { PostgresSource } from './postgres/postgres-source.ts'
import type { Database } from './schema.ts'

/**
 * The metadata of an installation: projects, keys, persons and flags. The front, the indexer and the command line each open
 * their own connection.
 */
export type Metadata = Kysely<Database>

/** Where the metadata is: the path of a SQLite file, or a database of PostgreSQL. */
export type MetadataSource = string | PostgresSource

/** Whether other nodes may use the same metadata. */
export const isSharedSource = (source: MetadataSource): source is PostgresSource => typeof source !== 'string'

/** The place of the metadata, for messages. */
export const describeSource = (source: MetadataSource): string =>
  typeof source === 'string' ? source : describePostgres(source)

/** How long a statement waits for the write of another process. */
const BUSY_TIMEOUT_MS = 10_000

/** Delay before a retry where SQLite itself does not wait for a lock. */
const RETRY_MS = 20

/** Opens the metadata, creates what is missing, and migrates its tables. Close it with `destroy()`. */
export const openMetadata = async (source: MetadataSource): Promise<Metadata> => {
  const metadata = connectMetadata(source)
  try {
    await (typeof source === 'string' ? migrateSqlite(metadata, source) : migratePostgres(metadata, source))
    return metadata
  } catch (error) {
    await metadata.destroy()
    throw error
  }
}

/** Opens the metadata without migrations, for a process whose parent has already run them. */
export const connectMetadata = (source: MetadataSource): Metadata =>
  typeof source === 'string' ? connectSqlite(source) : connectPostgres(source)

const migrateSqlite = async (metadata: Metadata, path: string): Promise<void> => {
  try {
    // The SQLite dialect migrates without a transaction, so two processes that open a new folder would both create the tables.
    await metadata.connection().execute(async (connection) => {
      await sql`begin immediate`.execute(connection)
      const { error } = await new Migrator({
        db: connection,
        provider: { getMigrations: () => Promise.resolve(migrations) },
      }).migrateToLatest()
      if (error !== undefined) throw error
      await sql`commit`.execute(connection)
    })
  } catch (error) {
    throw new Error(`The metadata in ${path} could not be migrated.`, { cause: error })
  }
}

const connectSqlite = (path: string): Metadata => {
  const database = openSqlite(path, { timeout: BUSY_TIMEOUT_MS })
  useWriteAheadLog(database)
  database.pragma('synchronous = FULL')
  database.pragma('foreign_keys = ON')
  const dialect = new SqliteDialect({ database })
  return new Kysely<Database>({
    dialect: {
      createAdapter: () => dialect.createAdapter(),
      createIntrospector: (db) => dialect.createIntrospector(db),
      createQueryCompiler: () => dialect.createQueryCompiler(),
      createDriver: () =>
        withImmediateTransactions(
          new SqliteDriver({ database: cacheStatements(database) }),
          database,
          createFileGuard([path, `${path}-wal`]),
        ),
    },
  })
}

/**
 * Begins transactions with `begin immediate`: a transaction that begins with a read fails at its first write if another
 * process has written since. Skips the rollback of a transaction that SQLite already rolled back, as on a full disk: the
 * failing rollback would hide the cause. Rejects a commit to a file that was deleted or replaced meanwhile.
 */
const withImmediateTransactions = (driver: Driver, database: SqliteDatabase, checkFiles: () => void): Driver =>
  Object.assign(driver, {
    rollbackTransaction: async (connection: DatabaseConnection) => {
      if (database.inTransaction) await connection.executeQuery(CompiledQuery.raw('rollback'))
    },
    commitTransaction: async (connection: DatabaseConnection) => {
      await connection.executeQuery(CompiledQuery.raw('commit'))
      checkFiles()
    },
    beginTransaction: async (connection: DatabaseConnection) => {
      await connection.executeQuery(CompiledQuery.raw('begin immediate'))
    },
  })

/** Sets WAL mode with retries: SQLite does not wait for a lock when the first process of a new folder changes the mode. */
const useWriteAheadLog = (database: SqliteDatabase): void => {
  const deadline = performance.now() + BUSY_TIMEOUT_MS
  for (;;) {
    try {
      database.pragma('journal_mode = WAL')
      return
    } catch (error) {
      const isBusy = isSqliteError(error) && error.code.startsWith('SQLITE_BUSY')
      if (!isBusy || performance.now() > deadline) throw error
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, RETRY_MS)
    }
  }
}
