import { existsSync } from 'node:fs'
import { openSqlite } from './sqlite.ts'
import { DamagedFileError } from './classify-file-error.ts'
import { findWalDamage } from './find-wal-damage.ts'

/** Maximum number of defects listed in an error message. */
const MAX_REPORTED_DEFECTS = 3

/**
 * Checks that a SQLite file and its write-ahead log are intact; throws `DamagedFileError` if not. A missing or empty file is
 * intact. The check reads the whole file. Call it before the file is opened: when SQLite opens a damaged log, it silently
 * drops what follows the damage (https://www.sqlite.org/walformat.html).
 */
export const checkSqliteFile = (path: string): void => {
  if (!existsSync(path)) return
  const logDamage = findWalDamage(path)
  if (logDamage !== null) throw new DamagedFileError(logDamage)
  const db = openSqlite(path, { timeout: 5000 })
  try {
    const rows = db.prepare<[], string>(`PRAGMA quick_check(${MAX_REPORTED_DEFECTS})`).pluck().all()
    // The first row starts with a line that names the database (`*** in database main ***`); every other line is a defect.
    const defects = rows.flatMap((row) => row.split('\n')).filter((line) => !line.startsWith('***'))
    if (defects.join() !== 'ok') throw new DamagedFileError(defects.slice(0, MAX_REPORTED_DEFECTS).join('; '))
  } finally {
    db.close()
  }
}
