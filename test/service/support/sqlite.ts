import { createRequire } from 'node:module'
import type Sqlite from 'better-sqlite3'

const Database = createRequire(new URL('../../../src/service/package.json', import.meta.url))(
  'better-sqlite3',
) as typeof Sqlite

/** Opens a SQLite file of the service from beside it; whoever calls closes it. */
export const openSqlite = (path: string): Sqlite.Database => new Database(path)

/** What SQLite throws, with its code. */
export const createSqliteError = (code: string): Error => new Database.SqliteError('as SQLite says it', code)

/** Uses a SQLite file of the service from beside it. */
export const withSqlite = <Result>(path: string, use: (db: Sqlite.Database) => Result): Result => {
  const db = openSqlite(path)
  try {
    return use(db)
  } finally {
    db.close()
  }
}

/** Brings all of the log into the file, as SQLite does now and then. */
export const checkpoint = (path: string): void => withSqlite(path, (db) => void db.pragma('wal_checkpoint(TRUNCATE)'))

/** The numbers of the pages that hold rows of a table, in the order of the rows. */
export const listLeafPages = (path: string, table: string): readonly number[] =>
  withSqlite(path, (db) =>
    db
      .prepare<[string], number>("SELECT pageno FROM dbstat WHERE name = ? AND pagetype = 'leaf' ORDER BY path")
      .pluck()
      .all(table),
  )
