import {
  CompiledQuery,
  HandleEmptyInListsPlugin,
  Kysely,
  PostgresDialect,
  PostgresDriver,
  replaceWithNoncontingentExpression,
} from 'kysely'
import type { DatabaseConnection, Driver, TransactionSettings } from 'kysely'
import { noop } from '../../../noop.ts'
import type { Database } from '../schema.ts'
import { createPool } from './create-pool.ts'
import { PostgresCompiler } from './postgres-compiler.ts'
import type { PostgresSource } from './postgres-source.ts'

/**
 * The lock of transactions. As `begin immediate` does in SQLite, it lets one writer in at a time, so that what a transaction reads does not
 * change before it writes. Reads outside transactions do not wait for it.
 */
const WRITER_LOCK = 7_723_461

/**
 * Longest pause between two statements of a transaction. A node that stands still, or is cut off, must not keep a lock for which the others
 * wait.
 */
const MAX_PAUSE_MS = 20_000

/** Connects at the first query. */
export const connectPostgres = (source: PostgresSource): Kysely<Database> => {
  const config = { pool: () => createPool(source) }
  const dialect = new PostgresDialect(config)
  return new Kysely<Database>({
    // PostgreSQL has no empty list; SQLite finds nothing in it.
    plugins: [new HandleEmptyInListsPlugin({ strategy: replaceWithNoncontingentExpression })],
    dialect: {
      createAdapter: () => dialect.createAdapter(),
      createIntrospector: (db) => dialect.createIntrospector(db),
      createQueryCompiler: () => new PostgresCompiler(),
      createDriver: () => withSerialTransactions(new PostgresDriver(config)),
    },
  })
}

const withSerialTransactions = (driver: Driver): Driver => {
  // On a broken connection a failing rollback would hide the cause; the server has rolled back already.
  const rollbackTransaction = (connection: DatabaseConnection): Promise<void> =>
    connection.executeQuery(CompiledQuery.raw('rollback')).then(noop, noop)
  return Object.assign(driver, {
    /** A transaction that names its isolation level takes locks of its own. */
    beginTransaction: async (connection: DatabaseConnection, { isolationLevel }: TransactionSettings) => {
      try {
        // Never the default of the database: what a transaction reads is read after its lock is granted.
        await connection.executeQuery(
          CompiledQuery.raw(
            `begin isolation level ${isolationLevel ?? 'read committed'}; ` +
              `set local idle_in_transaction_session_timeout = ${MAX_PAUSE_MS}` +
              (isolationLevel === undefined ? `; select pg_advisory_xact_lock(${WRITER_LOCK})` : ''),
          ),
        )
      } catch (error) {
        // Kysely does not: the transaction has begun, and its lock was refused.
        await rollbackTransaction(connection)
        throw error
      }
    },
    rollbackTransaction,
  })
}
