import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
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

/** Creates the folder when it is not there. Throws `StartError` when it cannot be used. */
export const openDataFolder = (path: string): DataFolder => {
  try {
    mkdirSync(join(path, 'events'), { recursive: true, mode: 0o700 })
  } catch (error) {
    throw new StartError(`The data folder ${path} cannot be written: ${reason(error)}.`, { cause: error })
  }
  return {
    path,
    inbox: join(path, 'inbox.sqlite'),
    metadata: join(path, 'metadata.sqlite'),
    events: join(path, 'events'),
  }
}

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
      : new StartError(`The data folder ${path} cannot be locked: ${reason(error)}.`, { cause: error })
  }
  return () => db.close()
}

const openLock = (path: string): Sqlite.Database => {
  try {
    return new Sqlite(join(path, 'lock.sqlite'), { timeout: 0 })
  } catch (error) {
    throw new StartError(`The data folder ${path} cannot be written: ${reason(error)}.`, { cause: error })
  }
}

const isBusy = (error: unknown): boolean => error instanceof Sqlite.SqliteError && error.code.startsWith('SQLITE_BUSY')

const reason = (error: unknown): string => (error instanceof Error ? error.message : String(error))
