import { createSqliteError as createError, openSqlite } from '../../../src/service/store/sqlite/sqlite.ts'
import type { SqliteDatabase } from '../../../src/service/store/sqlite/sqlite.ts'

/** Creates an error with a code, like those that SQLite throws. */
export const createSqliteError = (code: string): Error => createError('simulated SQLite error', code)

/** Opens a SQLite file of the service for the duration of `use`. */
export const withSqlite = <Result>(path: string, use: (db: SqliteDatabase) => Result): Result => {
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
