import { createRequire } from 'node:module'
import type Library from 'better-sqlite3'

/** An open SQLite file. */
export type SqliteDatabase = Library.Database

/**
 * better-sqlite3 by the version of Node. Version 13 has a binary that fits every Node with Node-API 10, which is Node 22.14 or later.
 * Version 12 must be compiled for each version of Node, and is for earlier ones only: on Node 24.19 and later it ends the process when it
 * frees a database ("RemoveEnvironmentCleanupHook: Assertion failed").
 */
const LIBRARY = Number(process.versions.napi) >= 10 ? 'better-sqlite3' : 'better-sqlite3-node-20'

const require = createRequire(import.meta.url)
let loaded: typeof Library | undefined

/** Not at import: a missing native part is reported to the operator (`data-folder.ts`). */
const load = (): typeof Library => (loaded ??= require(LIBRARY) as typeof Library)

/** Opens a SQLite file; by default it is created if it does not exist. The caller must close it. */
export const openSqlite = (path: string, options?: Library.Options): SqliteDatabase => new (load())(path, options)

export const isSqliteError = (error: unknown): error is InstanceType<typeof Library.SqliteError> =>
  loaded !== undefined && error instanceof loaded.SqliteError

/** Creates an error as SQLite throws it, with its result code (`SQLITE_…`). */
export const createSqliteError = (message: string, code: string): Error => new (load().SqliteError)(message, code)

/** Says what is missing if the library or its native part is not installed; null if it works. */
export const findSqliteFault = (): string | null => {
  try {
    openSqlite(':memory:').close()
    return null
  } catch (error) {
    const [firstLine] = String(error instanceof Error ? error.message : error).split('\n')
    return (
      `The library ${LIBRARY} has no native part for Node ${process.version}: ${firstLine} ` +
      `Its install script did not run or failed, or ran for another version of Node. Run: npm rebuild ${LIBRARY} ` +
      `(with pnpm: pnpm approve-builds, then pnpm rebuild ${LIBRARY}). Node 22.14 and later need no install script.`
    )
  }
}
