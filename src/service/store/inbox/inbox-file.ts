import { openSqlite } from '../sqlite/sqlite.ts'
import type { InboxRow } from './inbox.ts'

/** Page size of an inbox file, in bytes. */
export const PAGE_BYTES = 8192

/**
 * The tables of an inbox file: the waiting requests, the number of their events, the record of those that are stored (`stored-record.ts`), and `probe` with one row that is written to
 * test the disk.
 *
 * `event_count.through` is the number of events up to and including a row, so that the events of many rows are counted by two
 * lookups. The row before the oldest request stays there.
 *
 * Without AUTOINCREMENT, SQLite would reuse the id of a deleted last row, and the indexer would skip the new row.
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
  CREATE TABLE IF NOT EXISTS event_count (id INTEGER PRIMARY KEY, through INTEGER NOT NULL);
  CREATE TABLE IF NOT EXISTS stored (
    project_id INTEGER NOT NULL,
    last_row INTEGER NOT NULL,
    first_row INTEGER NOT NULL,
    requests INTEGER NOT NULL,
    PRIMARY KEY (project_id, last_row)
  ) WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS probe (id INTEGER PRIMARY KEY, at INTEGER NOT NULL, filler BLOB NOT NULL);
`

/** Writes a new inbox file with these rows and their ids. The file is on the disk when the call returns. */
export const writeInboxFile = (path: string, rows: Iterable<InboxRow>): void => {
  const db = openSqlite(path)
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
