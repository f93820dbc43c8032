import Sqlite from 'better-sqlite3'
import { DamagedFileError, fileFault } from '../sqlite/file-fault.ts'
import { INBOX_SCHEMA, PAGE_BYTES } from './inbox-file.ts'
import type { AcceptedRequest, Inbox, InboxRow } from './inbox.ts'

/** How an inbox file is opened. */
export interface SqliteInboxOptions {
  readonly path: string
  /** `reader`: another process's view; it can only read and needs an existing file. Default `owner`. */
  readonly role?: 'owner' | 'reader'
  /** `full` (default): a row is on the disk when `append` resolves. `off` only measures what that costs. */
  readonly synchronous?: 'full' | 'off'
  /** Called after each commit, with the last row's id. */
  readonly onCommit?: (id: number) => void
}

/** Bytes that a probe tries to write at most: it holds up the event loop, and anyone may ask for it. */
const MOST_PROBE_BYTES = 4 * 1024 * 1024

/** Pages in the write-ahead log before they are copied to the file: 16 MB, so that a copy is rare and not long. */
const CHECKPOINT_PAGES = 2000

/**
 * The inbox in one SQLite file. All appends of one event-loop turn share one transaction and one fsync: the disk bounds the
 * turns per second, not the requests.
 */
export const openSqliteInbox = ({
  path,
  role = 'owner',
  synchronous = 'full',
  onCommit,
}: SqliteInboxOptions): Inbox => {
  const db = new Sqlite(path, { readonly: role === 'reader', fileMustExist: role === 'reader', timeout: 5000 })
  try {
    if (role === 'owner') {
      db.pragma(`page_size = ${PAGE_BYTES}`)
      db.pragma('journal_mode = WAL')
      db.pragma(`synchronous = ${synchronous}`)
      db.pragma(`wal_autocheckpoint = ${CHECKPOINT_PAGES}`)
      db.exec(INBOX_SCHEMA)
    }
    const leap = { through: 0 }
    return { ...writer(db, role, leap, onCommit), ...reader(db, leap), close: () => db.close() }
  } catch (error) {
    db.close()
    throw error
  }
}

interface Waiting {
  readonly request: AcceptedRequest
  readonly resolve: (id: number) => void
  readonly reject: (error: unknown) => void
}

/** Rows above `through` leave no gap: a failed transaction takes its ids back, and only a start leaps. */
interface Leap {
  through: number
}

const writer = (
  db: Sqlite.Database,
  role: 'owner' | 'reader',
  leap: Leap,
  onCommit: ((id: number) => void) | undefined,
): Pick<Inbox, 'append' | 'deleteThrough' | 'probe' | 'startAbove' | 'moveAbove'> => {
  if (role === 'reader') {
    const refuse = (): never => {
      throw new Error('This process only reads the inbox.')
    }
    return {
      append: () => Promise.reject(new Error('This process only reads the inbox.')),
      deleteThrough: refuse,
      probe: refuse,
      startAbove: refuse,
      moveAbove: refuse,
    }
  }

  const insert = db.prepare<[number, number, string | null, string, Uint8Array]>(
    'INSERT INTO request (project_id, received_at, address, form, body) VALUES (?, ?, ?, ?, ?)',
  )
  const insertAll = db.transaction((group: readonly Waiting[]) =>
    group.map(({ request: { projectId, receivedAt, address, form, body } }) =>
      Number(insert.run(projectId, receivedAt, address, form, body).lastInsertRowid),
    ),
  )
  const remove = db.prepare<[number, number]>(
    'DELETE FROM request WHERE id IN (SELECT id FROM request WHERE id <= ? ORDER BY id LIMIT ?)',
  )
  const touch = db.prepare<[number, number]>('INSERT OR REPLACE INTO probe (id, at, filler) VALUES (1, ?, zeroblob(?))')

  const lastId = readLastId(db)
  const saveLastId = (id: number): void => {
    // The table of sequences has no unique key, and no row before the first insert.
    db.prepare("DELETE FROM sqlite_sequence WHERE name = 'request'").run()
    db.prepare("INSERT INTO sqlite_sequence (name, seq) VALUES ('request', ?)").run(id)
  }

  let waiting: Waiting[] = []
  // Bytes that the disk refused last; 0 since it took something again.
  let refusedBytes = 0
  let damage: unknown = null
  const commit = (): void => {
    const group = waiting
    waiting = []
    try {
      const ids = insertAll.immediate(group)
      refusedBytes = 0
      for (const [index, { resolve }] of group.entries()) resolve(ids[index]!)
      onCommit?.(ids.at(-1)!)
    } catch (error) {
      if (fileFault(error) === 'damaged') damage = error
      refusedBytes = group.reduce((bytes, { request }) => bytes + request.body.length, 0)
      for (const { reject } of group) reject(error)
    }
  }

  return {
    append: (request) =>
      new Promise((resolve, reject) => {
        // The check phase follows the poll phase in which the requests of this turn were read.
        if (waiting.push({ request, resolve, reject }) === 1) setImmediate(commit)
      }),
    deleteThrough: (id, most) => remove.run(id, most).changes,
    startAbove: db.transaction((mark: number) => {
      const last = lastId()
      leap.through = Math.max(last, mark)
      if (last < mark) saveLastId(mark)
      return leap.through
    }).immediate,
    moveAbove: db.transaction((projectId: number, mark: number) => {
      const { first, last } = db
        .prepare<[number], { first: number | null; last: number | null }>(
          'SELECT min(id) AS first, max(id) AS last FROM request WHERE project_id = ?',
        )
        .get(projectId)!
      const base = Math.max(lastId(), mark)
      leap.through = base
      if (first !== null && last !== null) {
        db.prepare('UPDATE request SET id = id + ? WHERE project_id = ?').run(base + 1 - first, projectId)
        leap.through = base + 1 - first + last
      }
      saveLastId(leap.through)
      return leap.through
    }).immediate,
    probe: (now) => {
      // What is tried here lies elsewhere in the file, and may be whole.
      if (damage !== null) throw new DamagedFileError('The inbox is damaged.', { cause: damage })
      // A disk that refused much may still take little: that is not working.
      touch.run(now, Math.min(refusedBytes, MOST_PROBE_BYTES))
      if (refusedBytes > 0) touch.run(now, 0)
      refusedBytes = 0
    },
  }
}

const readLastId = (db: Sqlite.Database): (() => number) => {
  const sequence = db.prepare("SELECT seq FROM sqlite_sequence WHERE name = 'request'").pluck()
  return () => Number(sequence.get() ?? 0)
}

const reader = (
  db: Sqlite.Database,
  leap: Leap,
): Pick<Inbox, 'readAfter' | 'backlogAfter' | 'lastGiven' | 'usedBytes'> => {
  const after = db.prepare<[number, number], Row>(
    'SELECT id, project_id, received_at, address, form, body FROM request WHERE id > ? ORDER BY id LIMIT ?',
  )
  const ends = db.prepare<[], { first: number | null; last: number | null }>(
    'SELECT (SELECT min(id) FROM request) AS first, (SELECT max(id) FROM request) AS last',
  )
  const countBetween = db
    .prepare<[number, number], number>('SELECT count(*) FROM request WHERE id > ? AND id <= ?')
    .pluck()
  const oldest = db
    .prepare<[number], number>('SELECT received_at FROM request WHERE id > ? ORDER BY id LIMIT 1')
    .pluck()

  return {
    lastGiven: readLastId(db),
    readAfter: (id, maxRows, maxBytes) => {
      const rows: InboxRow[] = []
      let bytes = 0
      try {
        for (const row of after.iterate(id, maxRows)) {
          rows.push({
            id: row.id,
            projectId: row.project_id,
            receivedAt: row.received_at,
            address: row.address,
            form: row.form,
            body: row.body,
          })
          bytes += row.body.length
          if (bytes >= maxBytes) break
        }
      } catch (error) {
        if (rows.length === 0) throw error
      }
      return rows
    },
    backlogAfter: (id) => {
      const { first, last } = ends.get()!
      if (first === null || last === null || last <= id) return { rows: 0, oldestReceivedAt: null }
      const { through } = leap
      // What an earlier run left is counted by reading it; of the rest, the ends tell.
      const left = id < through && first <= through ? countBetween.get(id, through)! : 0
      const rows = left + Math.max(0, last - Math.max(id, through, first - 1))
      return { rows, oldestReceivedAt: oldest.get(id) ?? null }
    },
    usedBytes: () => {
      const pages = pragmaNumber(db, 'page_count') - pragmaNumber(db, 'freelist_count')
      return pages * pragmaNumber(db, 'page_size')
    },
  }
}

interface Row {
  readonly id: number
  readonly project_id: number
  readonly received_at: number
  readonly address: string | null
  readonly form: string
  readonly body: Buffer
}

const pragmaNumber = (db: Sqlite.Database, name: string): number => Number(db.pragma(name, { simple: true }))
