import { createRequire } from 'node:module'
import type Sqlite from 'better-sqlite3'

const Database = createRequire(new URL('../../../src/service/package.json', import.meta.url))(
  'better-sqlite3',
) as typeof Sqlite

/** Opens a SQLite file of the service. The caller must close it. */
export const openSqlite = (path: string): Sqlite.Database => new Database(path)

/** Creates an error with a code, like those that SQLite throws. */
export const createSqliteError = (code: string): Error => new Database.SqliteError('simulated SQLite error', code)

/** Opens a SQLite file of the service for the duration of `use`. */
export const withSqlite = <Result>(path: string, use: (db: Sqlite.Database) => Result): Result => {
  const db = openSqlite(path)
  try {
    return use(db)
  } finally {
    db.close()
  }
}

/** Runs a checkpoint, which moves all of the log into the file. */
export const checkpoint = (path: string): void => withSqlite(path, (db) => void db.pragma('wal_checkpoint(TRUNCATE)'))

/** Lists the numbers of the pages with rows of a table, in the order of the rows. */
export const listLeafPages = (path: string, table: string): readonly number[] =>
  withSqlite(path, (db) =>
    db
      .prepare<[string], number>("SELECT pageno FROM dbstat WHERE name = ? AND pagetype = 'leaf' ORDER BY path")
      .pluck()
      .all(table),
  )
