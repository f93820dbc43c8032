import { ReplacedFileError } from '../file/file-guard.ts'
import { isSqliteError } from './sqlite.ts'

/**
 * What is wrong with a SQLite file or its disk: `damaged` bytes, a `full` disk, no permission to write (`read_only`), a lock
 * of another process (`busy`), a file that lost its name while it is open (`replaced`), or another I/O error (`failing`).
 */
export type FileFault = 'damaged' | 'full' | 'read_only' | 'busy' | 'replaced' | 'failing'

/** Thrown when the bytes of a SQLite file are not those that were written. The message says what was found. */
export class DamagedFileError extends Error {
  override readonly name: string = 'DamagedFileError'
}

/** Faults by the prefix of the result code, which includes extended codes (https://www.sqlite.org/rescode.html). */
const FAULTS: readonly (readonly [string, FileFault])[] = [
  ['SQLITE_CORRUPT', 'damaged'],
  ['SQLITE_NOTADB', 'damaged'],
  ['SQLITE_FULL', 'full'],
  ['SQLITE_READONLY', 'read_only'],
  ['SQLITE_PERM', 'read_only'],
  ['SQLITE_IOERR', 'failing'],
  ['SQLITE_CANTOPEN', 'failing'],
  ['SQLITE_BUSY', 'busy'],
]

/** Classifies an error by itself and its causes; null if it does not concern a file. */
export const classifyFileError = (error: unknown): FileFault | null => {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if (cause instanceof DamagedFileError) return 'damaged'
    if (cause instanceof ReplacedFileError) return 'replaced'
    if (!isSqliteError(cause)) continue
    const { code } = cause
    const match = FAULTS.find(([prefix]) => code.startsWith(prefix))
    if (match !== undefined) return match[1]
  }
  return null
}
