import Sqlite from 'better-sqlite3'
import type { InboxRow } from './inbox.ts'

/** Size of a page of an inbox file. */
export const PAGE_BYTES = 8192

/**
 * The tables of an inbox file: the requests that wait, and a row that is written to try the disk.
 *
 * AUTOINCREMENT: without it SQLite gives the id of a deleted last row again, and the indexer would skip the new row.
 */
export const INBOX_SCHEMA = `
  CREATE TABLE IF NOT EXISTS request (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    project_id INTEGER NOT NULL,
    received_at INTEGER NOT NULL,
    address TEXT,
    form TEXT NOT NULL,
    body BLOB NOT NULL
  );
  CREATE TABLE IF NOT EXISTS probe (id INTEGER PRIMARY KEY, at INTEGER NOT NULL, filler BLOB NOT NULL);
`

/** Writes a new inbox file with these rows, under their ids; it is on the disk when the call ends. */
export const writeInboxFile = (path: string, rows: Iterable<InboxRow>): void => {
  const db = new Sqlite(path)
  try {
    db.pragma(`page_size = ${PAGE_BYTES}`)
    db.pragma('synchronous = FULL')
    db.exec(INBOX_SCHEMA)
    const insert = db.prepare('INSERT INTO request VALUES (?, ?, ?, ?, ?, ?)')
    db.exec('BEGIN')
    for (const { id, projectId, receivedAt, address, form, body } of rows)
      insert.run(id, projectId, receivedAt, address, form, body)
    db.exec('COMMIT')
  } finally {
    db.close()
  }
}
