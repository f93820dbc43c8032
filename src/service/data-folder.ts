import { closeSync, existsSync, mkdirSync, openSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import Sqlite from 'better-sqlite3'

/** Where a service keeps what. */
export interface DataFolder {
  readonly path: string
  readonly inbox: string
  readonly metadata: string
  /** Folder of the event stores, one per project. */
  readonly events: string
}

/** Why a service does not start. The message is one sentence for people. */
export class StartError extends Error {
  override readonly name: string = 'StartError'
}

/**
 * Opens the folder, creating what is missing unless `mustExist`: for its owner alone, since events tell of people. Throws
 * `StartError` when it cannot be used, or is none and must exist.
 */
export const openDataFolder = (
  path: string,
  { mustExist = false }: { readonly mustExist?: boolean } = {},
): DataFolder => {
  const folder = {
    path,
    inbox: join(path, 'inbox.sqlite'),
    metadata: join(path, 'metadata.sqlite'),
    events: join(path, 'events'),
  }
  if (mustExist && !existsSync(folder.metadata)) {
    throw new StartError(`There is no data in the folder ${path}; choose another with --data-folder.`)
  }
  try {
    makeFolder(folder.events)
    // SQLite gives the files beside a database the mode of the database.
    for (const file of [folder.inbox, folder.metadata, join(path, LOCK)]) closeSync(openSync(file, 'a', 0o600))
  } catch (error) {
    throw new StartError(`The data folder ${path} cannot be written: ${reason(error)}.${wayOut(error)}`, {
      cause: error,
    })
  }
  return folder
}

/** As `mkdir` with `recursive`, which never ends on Node 20 where a file system says that a folder's own parent is missing. */
const makeFolder = (path: string): void => {
  try {
    mkdirSync(path, { mode: 0o700 })
  } catch (error) {
    if (statSync(path, { throwIfNoEntry: false })?.isDirectory()) return
    const isParentMissing = error instanceof Error && 'code' in error && error.code === 'ENOENT'
    if (!isParentMissing || existsSync(dirname(path))) throw error
    makeFolder(dirname(path))
    mkdirSync(path, { mode: 0o700 })
  }
}

const LOCK = 'lock.sqlite'

/**
 * Takes the folder for this process; the answer gives it back. The lock is SQLite's own on a file of its own: the system
 * frees it when the process ends, however it ends, so there is no stale lock to clean up. Throws `StartError`.
 */
export const lockDataFolder = ({ path }: DataFolder): (() => void) => {
  const db = openLock(path)
  try {
    db.pragma('journal_mode = DELETE')
    db.exec('BEGIN EXCLUSIVE')
  } catch (error) {
    db.close()
    throw isBusy(error)
      ? new StartError(`Another waymark-service is using the data folder ${path}.`, { cause: error })
      : new StartError(`The data folder ${path} cannot be locked: ${reason(error)}.${wayOut(error)}`, { cause: error })
  }
  return () => db.close()
}

const openLock = (path: string): Sqlite.Database => {
  try {
    return new Sqlite(join(path, LOCK), { timeout: 0 })
  } catch (error) {
    throw new StartError(`The data folder ${path} cannot be written: ${reason(error)}.`, { cause: error })
  }
}

/** What to do about an error of the disk, as a sentence behind another one; empty where nobody knows. */
const wayOut = (error: unknown): string => {
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  if (code === 'ENOSPC' || code === 'SQLITE_FULL') return ' Nothing is lost. Make room on the disk, then start again.'
  if (code === 'EROFS') return ' Nothing is lost. Mount the disk so that it can be written, then start again.'
  return ''
}

const isBusy = (error: unknown): boolean => error instanceof Sqlite.SqliteError && error.code.startsWith('SQLITE_BUSY')

const reason = (error: unknown): string => (error instanceof Error ? error.message : String(error))
