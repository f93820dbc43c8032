import { createRequire } from 'node:module'
import type Library from 'better-sqlite3'
import { describeSqliteFault } from './describe-sqlite-fault.ts'

/** An open SQLite file. */
export type SqliteDatabase = Library.Database

/**
 * better-sqlite3 by the version of Node. Version 13 has a binary that fits every Node with Node-API 10, which is Node 22.14 or later.
 * Version 12 must be compiled for each version of Node, and is for earlier ones only: on Node 24.19 and later it ends the process when it
 * frees a database ("RemoveEnvironmentCleanupHook: Assertion failed"). Both are optional dependencies, because each Node needs one.
 */
const isCompiled = Number(process.versions.napi) < 10
const LIBRARY = isCompiled ? 'better-sqlite3-node-20' : 'better-sqlite3'

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

/** Says to the operator why SQLite cannot be loaded; null if it works. */
export const findSqliteFault = (): string | null => {
  try {
    openSqlite(':memory:').close()
    return null
  } catch (error) {
    const { version, platform, arch } = process
    return describeSqliteFault(error, {
      library: LIBRARY,
      isCompiled,
      nodeVersion: version,
      platform: `${platform}-${arch}`,
    })
  }
}
