import { existsSync } from 'node:fs'
import Sqlite from 'better-sqlite3'
import { DamagedFileError } from './file-fault.ts'
import { walDamage } from './wal-damage.ts'

/** Findings that a message names. */
const MOST_FINDINGS = 3

/**
 * Reads a SQLite file through and throws `DamagedFileError` when it, or its write-ahead log, is not as SQLite left it.
 * A file that is not there or empty is well. Takes as long as reading the file. Call it before anything else opens the
 * file: SQLite drops what stands behind a damage in the log without a word (https://www.sqlite.org/walformat.html).
 */
export const checkSqliteFile = (path: string): void => {
  if (!existsSync(path)) return
  const inLog = walDamage(path)
  if (inLog !== null) throw new DamagedFileError(inLog)
  const db = new Sqlite(path, { timeout: 5000 })
  try {
    const findings = db.prepare<[], string>(`PRAGMA quick_check(${MOST_FINDINGS})`).pluck().all()
    // Each finding is one line, but for the first, which stands under a line that names the database.
    const told = findings.flatMap((finding) => finding.split('\n')).filter((line) => !line.startsWith('***'))
    if (told.join() !== 'ok') throw new DamagedFileError(told.slice(0, MOST_FINDINGS).join('; '))
  } finally {
    db.close()
  }
}
