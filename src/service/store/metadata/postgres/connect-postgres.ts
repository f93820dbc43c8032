import {
  CompiledQuery,
  HandleEmptyInListsPlugin,
  Kysely,
  PostgresDialect,
  PostgresDriver,
  replaceWithNoncontingentExpression,
} from 'kysely'
import type { DatabaseConnection, Driver } from 'kysely'
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

const withSerialTransactions = (driver: Driver): Driver =>
  Object.assign(driver, {
    beginTransaction: async (connection: DatabaseConnection) => {
      await connection.executeQuery(CompiledQuery.raw('begin'))
      await connection.executeQuery(CompiledQuery.raw(`select pg_advisory_xact_lock(${WRITER_LOCK})`))
    },
    // On a broken connection a failing rollback would hide the cause; the server has rolled back already.
    rollbackTransaction: (connection: DatabaseConnection) =>
      connection.executeQuery(CompiledQuery.raw('rollback')).then(noop, noop),
  })
