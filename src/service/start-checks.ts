import { existsSync } from 'node:fs'
import { StartError } from './data-folder.ts'
import type { DataFolder } from './data-folder.ts'
import { findPathFault } from './store/events/duckdb/find-path-fault.ts'
import { checkSqliteFile } from './store/sqlite/check-file.ts'
import { classifyFileError } from './store/sqlite/classify-file-error.ts'
import type { FileFault } from './store/sqlite/classify-file-error.ts'

/** Throws `StartError` for a folder of events in which DuckDB cannot keep files. */
export const requireUsablePath = ({ path, events }: Pick<DataFolder, 'path' | 'events'>): void => {
  const fault = findPathFault(events)
  if (fault !== null)
    throw new StartError(`The path of the data folder ${path} ${fault}. Choose another with --data-folder.`)
}

/** The two files that must be intact for a start. */
type DataFile = 'inbox' | 'metadata'

/**
 * Checks both files for damage before anything is written, so that a start makes nothing worse. Takes as long as reading
 * both files. Throws `StartError` that names the file, the damage and the remedy.
 */
export const checkDataFiles = (folder: DataFolder): void => {
  for (const file of ['metadata', 'inbox'] as const) {
    const path = folder[file]
    if (existsSync(salvagedFilePath(path))) {
      throw new StartError(`A salvage of ${path} was interrupted. ${salvageAdvice(folder)}`)
    }
    withStartErrors(folder, file, () => checkSqliteFile(path))
  }
}

/** The path where a salvage writes the new file. The complete new file then replaces the damaged one. */
export const salvagedFilePath = (path: string): string => `${path}.salvaged`

/** Runs one step of a start on a file. Errors of the file or its disk are rethrown as `StartError`. */
export const withStartErrors = <Result>(folder: DataFolder, file: DataFile, use: () => Result): Result => {
  try {
    return use()
  } catch (error) {
    throw toStartError(folder, file, error)
  }
}

/** Like `withStartErrors`, for an asynchronous step. */
export const withStartErrorsAsync = async <Result>(
  folder: DataFolder,
  file: DataFile,
  use: () => Promise<Result>,
): Promise<Result> => {
  try {
    return await use()
  } catch (error) {
    throw toStartError(folder, file, error)
  }
}

const toStartError = (folder: DataFolder, file: DataFile, error: unknown): unknown => {
  const fault = classifyFileError(error)
  if (fault === null) return error
  return new StartError(
    `The ${file} ${folder[file]} ${FAULT_DESCRIPTIONS[fault]}: ${rootMessage(error)}. ${remedyFor(folder, file, fault)}`,
    { cause: error },
  )
}

const FAULT_DESCRIPTIONS: Readonly<Record<FileFault, string>> = {
  damaged: 'is damaged',
  full: 'is on a full disk',
  read_only: 'cannot be written',
  busy: 'is locked by another process',
  replaced: 'was deleted or replaced',
  failing: 'cannot be read or written',
}

const remedyFor = (folder: DataFolder, file: DataFile, fault: FileFault): string => {
  if (fault === 'full') return 'Nothing is lost. Free disk space, then start again.'
  if (fault === 'read_only')
    return 'Nothing is lost. Give this user write permission (or remount a read-only disk), then start again.'
  // Only an indexer that was stopped (SIGSTOP) or hangs outlives its front for longer than SQLite waits.
  if (fault === 'busy')
    return 'Nothing is lost. The indexer of an earlier run may still be running: end it (its command line has "indexer.js"), then start again.'
  if (fault === 'replaced') return 'Let no other program change the data folder, then start again.'
  if (fault === 'failing')
    return 'Nothing was changed. Check the disk (the system log may have details), then start again.'
  return file === 'inbox'
    ? `It may hold acknowledged events that are stored nowhere else: do not delete it. ${salvageAdvice(folder)}`
    : `Restore your backup of it, without ${folder.metadata}-wal and -shm. Only if there is none: ${salvageAdvice(folder)}`
}

const salvageAdvice = ({ path }: DataFolder): string =>
  `Run "waymark-service salvage --data-folder ${path}", which keeps the file and copies all readable rows into a new one, then start again.`

/** The message of the innermost cause, which is SQLite's. */
const rootMessage = (error: unknown): string => {
  let message = String(error)
  for (let cause = error; cause instanceof Error; cause = cause.cause) message = cause.message
  return message.replace(/\.$/, '')
}
