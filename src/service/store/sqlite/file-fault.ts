import Sqlite from 'better-sqlite3'

/** What is wrong with a SQLite file or the disk under it: its bytes, no room, no permission to write, another process that holds it, or anything else. */
export type FileFault = 'damaged' | 'full' | 'read_only' | 'busy' | 'failing'

/** A SQLite file whose bytes are not what was written. The message says what was found. */
export class DamagedFileError extends Error {
  override readonly name: string = 'DamagedFileError'
}

/** Codes by their beginning (https://www.sqlite.org/rescode.html), extended codes included. */
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

/** The fault that an error, or one of its causes, tells of; null when it is not about a file. */
export const fileFault = (error: unknown): FileFault | null => {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if (cause instanceof DamagedFileError) return 'damaged'
    if (!(cause instanceof Sqlite.SqliteError)) continue
    const { code } = cause
    const known = FAULTS.find(([beginning]) => code.startsWith(beginning))
    if (known !== undefined) return known[1]
  }
  return null
}
