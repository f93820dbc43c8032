import { closeSync, existsSync, mkdirSync, openSync, statSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { isMissingFileError } from './null-if-missing.ts'
import { findSqliteFault, isSqliteError, openSqlite } from './store/sqlite/sqlite.ts'
import type { SqliteDatabase } from './store/sqlite/sqlite.ts'

/** Paths of a service's files. */
export interface DataFolder {
  readonly path: string
  readonly inbox: string
  readonly metadata: string
  /** Folder of the event stores, one per project. */
  readonly events: string
  /** Folder of the contents of exports. */
  readonly exports: string
}

/** The service cannot start. The message says why, and what to do, for the operator. */
export class StartError extends Error {
  override readonly name: string = 'StartError'
}

/**
 * Opens the folder and creates what is missing, readable by its owner only because events are personal data. Throws
 * `StartError` when the folder cannot be written, or holds no data and `mustExist` is true, and when SQLite is not installed completely.
 */
export const openDataFolder = (
  folderPath: string,
  { mustExist = false }: { readonly mustExist?: boolean } = {},
): DataFolder => {
  // The library of SQLite drops spaces around a path, which only a relative one can have at its begin.
  const path = resolve(folderPath)
  const fault = findSqliteFault()
  if (fault !== null) throw new StartError(fault)
  const folder = {
    path,
    inbox: join(path, 'inbox.sqlite'),
    metadata: join(path, 'metadata.sqlite'),
    events: join(path, 'events'),
    exports: join(path, 'exports'),
  }
  if (mustExist && !existsSync(folder.metadata) && !existsSync(folder.inbox)) {
    throw new StartError(`The folder ${path} holds no data; choose another with --data-folder.`)
  }
  try {
    createFolder(folder.events)
    createFolder(folder.exports)
    // SQLite gives its journal and WAL files the mode of the database file.
    const lockFiles = Object.values(LOCK_FILES).map((file) => join(path, file))
    for (const file of [folder.inbox, folder.metadata, ...lockFiles]) closeSync(openSync(file, 'a', 0o600))
  } catch (error) {
    throw new StartError(`The data folder ${path} cannot be written: ${errorMessage(error)}.${remedyFor(error)}`, {
      cause: error,
    })
  }
  return folder
}

/** Whether the folder has a file with metadata. An empty one is created for folders whose metadata is in PostgreSQL. */
export const hasMetadataFile = ({ metadata }: DataFolder): boolean =>
  (statSync(metadata, { throwIfNoEntry: false })?.size ?? 0) > 0

/**
 * Creates a folder and its parents. On Node 20, `mkdirSync` with `recursive` never returns on a file system that reports the
 * parent of a folder as missing although it exists.
 */
const createFolder = (path: string): void => {
  try {
    mkdirSync(path, { mode: 0o700 })
  } catch (error) {
    if (statSync(path, { throwIfNoEntry: false })?.isDirectory()) return
    if (!isMissingFileError(error) || existsSync(dirname(path))) throw error
    createFolder(dirname(path))
    mkdirSync(path, { mode: 0o700 })
  }
}

/** What one process at a time does on a data folder, with the file of its lock. */
const LOCK_FILES = { front: 'lock.sqlite', indexer: 'indexer-lock.sqlite' } as const

/** A part of the service that has a data folder for itself. */
export type FolderUse = keyof typeof LOCK_FILES

/**
 * Locks the folder for this process and returns a function that releases the lock. It is a lock of SQLite on a separate file.
 * The operating system releases it when the process ends for any reason, so no stale lock remains. Throws `StartError`.
 *
 * @param uses Default: all.
 */
export const lockDataFolder = (
  { path }: DataFolder,
  uses: readonly FolderUse[] = ['front', 'indexer'],
): (() => void) => {
  const releases: (() => void)[] = []
  const release = (): void => releases.forEach((releaseOne) => releaseOne())
  try {
    for (const use of uses) releases.push(lockOne(path, LOCK_FILES[use]))
    return release
  } catch (error) {
    release()
    throw error
  }
}

const lockOne = (path: string, file: string): (() => void) => {
  const db = openLock(path, file)
  try {
    db.pragma('journal_mode = DELETE')
    db.exec('BEGIN EXCLUSIVE')
  } catch (error) {
    db.close()
    throw isLockHeld(error)
      ? new StartError(
          `Another waymark-service uses the data folder ${path}; stop it, or choose another with --data-folder.`,
          { cause: error },
        )
      : new StartError(`The data folder ${path} cannot be locked: ${errorMessage(error)}.${remedyFor(error)}`, {
          cause: error,
        })
  }
  return () => db.close()
}

const openLock = (path: string, file: string): SqliteDatabase => {
  try {
    return openSqlite(join(path, file), { timeout: 0 })
  } catch (error) {
    throw new StartError(`The data folder ${path} cannot be written: ${errorMessage(error)}.`, { cause: error })
  }
}

/** What to do about a disk error, to append to a message; empty when there is no advice. */
const remedyFor = (error: unknown): string => {
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  if (code === 'ENOSPC' || code === 'SQLITE_FULL') return ' Nothing is lost. Free disk space, then start again.'
  if (code === 'EROFS') return ' Nothing is lost. Mount the disk writable, then start again.'
  return ''
}

const isLockHeld = (error: unknown): boolean => isSqliteError(error) && error.code.startsWith('SQLITE_BUSY')

const errorMessage = (error: unknown): string => (error instanceof Error ? error.message : String(error))
