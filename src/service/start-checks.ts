import { existsSync } from 'node:fs'
import { StartError } from './data-folder.ts'
import type { DataFolder } from './data-folder.ts'
import { checkSqliteFile } from './store/sqlite/check-file.ts'
import { fileFault } from './store/sqlite/file-fault.ts'
import type { FileFault } from './store/sqlite/file-fault.ts'

/** The two files that a start needs whole. */
type File = 'inbox' | 'metadata'

/**
 * Looks for damage before anything is written, so that nothing is made worse. Takes as long as reading both files.
 * Throws `StartError` that names the file, what was found, and the way out.
 */
export const checkData = (folder: DataFolder): void => {
  for (const file of ['metadata', 'inbox'] as const) {
    const path = folder[file]
    if (existsSync(salvagedPath(path))) {
      throw new StartError(`A salvage of ${path} was interrupted. ${salvageAgain(folder)}`)
    }
    usingFile(folder, file, () => checkSqliteFile(path))
  }
}

/** Where a salvage lays the file that takes the damaged one's place, once it is whole. */
export const salvagedPath = (path: string): string => `${path}.salvaged`

/** Does what a start does with a file. What the file or its disk refuses is thrown as a `StartError`. */
export const usingFile = <Result>(folder: DataFolder, file: File, use: () => Result): Result => {
  try {
    return use()
  } catch (error) {
    throw startError(folder, file, error)
  }
}

/** As `usingFile`, for what takes time. */
export const awaitingFile = async <Result>(
  folder: DataFolder,
  file: File,
  use: () => Promise<Result>,
): Promise<Result> => {
  try {
    return await use()
  } catch (error) {
    throw startError(folder, file, error)
  }
}

const startError = (folder: DataFolder, file: File, error: unknown): unknown => {
  const fault = fileFault(error)
  if (fault === null) return error
  return new StartError(
    `The ${file} ${folder[file]} ${WHAT[fault]}: ${reasonOf(error)}. ${wayOut(folder, file, fault)}`,
    {
      cause: error,
    },
  )
}

const WHAT: Readonly<Record<FileFault, string>> = {
  damaged: 'is damaged',
  full: 'has no room on its disk',
  read_only: 'cannot be written',
  busy: 'is held by another process',
  failing: 'cannot be used',
}

const wayOut = (folder: DataFolder, file: File, fault: FileFault): string => {
  if (fault === 'full') return 'Nothing is lost. Make room on the disk, then start again.'
  if (fault === 'read_only')
    return 'Nothing is lost. Let this user write there (is the disk mounted read-only?), then start again.'
  // Only an indexer that was stopped (SIGSTOP) or hangs outlives its front for longer than SQLite waits.
  if (fault === 'busy')
    return 'Nothing is lost. The indexer of an earlier run may still be there: end it (its command line has "indexer.js"), then start again.'
  if (fault === 'failing')
    return 'Nothing was changed. See to the disk (the system log may tell more), then start again.'
  return file === 'inbox'
    ? `It may hold acknowledged events that are stored nowhere else: do not delete it. ${salvageAgain(folder)}`
    : `Restore your backup of it, or, without one: ${salvageAgain(folder)}`
}

const salvageAgain = ({ path }: DataFolder): string =>
  `Run "waymark-service salvage --data-folder ${path}", which keeps the file and copies all that can be read into a new one, then start again.`

/** The innermost message, which is SQLite's. */
const reasonOf = (error: unknown): string => {
  let reason = String(error)
  for (let cause = error; cause instanceof Error; cause = cause.cause) reason = cause.message
  return reason.replace(/\.$/, '')
}
