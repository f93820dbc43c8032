import { existsSync } from 'node:fs'
import Sqlite from 'better-sqlite3'
import { DamagedFileError } from './classify-file-error.ts'
import { findWalDamage } from './find-wal-damage.ts'

/** Maximum number of findings in a message. */
const MAX_FINDINGS = 3

/**
 * Checks that a SQLite file and its write-ahead log are intact; throws `DamagedFileError` if not. A missing or empty file is
 * intact. The check reads the whole file. Call it before the file is opened: when SQLite opens a damaged log, it silently
 * drops what follows the damage (https://www.sqlite.org/walformat.html).
 */
export const checkSqliteFile = (path: string): void => {
  if (!existsSync(path)) return
  const logDamage = findWalDamage(path)
  if (logDamage !== null) throw new DamagedFileError(logDamage)
  const db = new Sqlite(path, { timeout: 5000 })
  try {
    const rows = db.prepare<[], string>(`PRAGMA quick_check(${MAX_FINDINGS})`).pluck().all()
    // The first row starts with a line that names the database; every other line is a finding.
    const findings = rows.flatMap((row) => row.split('\n')).filter((line) => !line.startsWith('***'))
    if (findings.join() !== 'ok') throw new DamagedFileError(findings.slice(0, MAX_FINDINGS).join('; '))
  } finally {
    db.close()
  }
}
