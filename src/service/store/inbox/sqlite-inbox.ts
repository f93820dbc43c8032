import { openSqlite } from '../sqlite/sqlite.ts'
import type { SqliteDatabase } from '../sqlite/sqlite.ts'
import { createFileGuard } from '../file/file-guard.ts'
import { DamagedFileError, classifyFileError } from '../sqlite/classify-file-error.ts'
import { INBOX_SCHEMA, PAGE_BYTES } from './inbox-file.ts'
import { createStoredRecord } from './stored-record.ts'
import type { AcceptedRequest, Inbox, InboxRow } from './inbox.ts'
import { NO_BACKLOG } from './inbox.ts'

/** How an inbox file is opened. */
export interface SqliteInboxOptions {
  readonly path: string
  /** `reader`: the view of another process, which needs an existing file and cannot write. Default: `owner`. */
  readonly role?: 'owner' | 'reader'
  /** `full` (default): a row is on the disk when `append` resolves. `off` is for benchmarks that measure this cost. */
  readonly synchronous?: 'full' | 'off'
  /** Further files without which a row would be lost. None of them may be deleted or replaced when `append` resolves. Default: none. */
  readonly alsoGuarded?: readonly string[]
  /** Called after each commit with the id of its last row. */
  readonly onCommit?: (id: number) => void
}

/** Maximum size of a probe write: it blocks the event loop, and anyone may request it. */
const MAX_PROBE_BYTES = 4 * 1024 * 1024

/** Pages in the write-ahead log before a checkpoint: 16 MB, so that checkpoints are rare and short. */
const CHECKPOINT_PAGES = 2000

/**
 * Opens the inbox in one SQLite file. All appends of one event-loop turn share one transaction and one fsync. The disk
 * therefore limits the number of turns per second, not the number of requests.
 */
export const openSqliteInbox = ({
  path,
  role = 'owner',
  synchronous = 'full',
  alsoGuarded = [],
  onCommit,
}: SqliteInboxOptions): Inbox => {
  const db = openSqlite(path, { readonly: role === 'reader', fileMustExist: role === 'reader', timeout: 5000 })
  try {
    if (role === 'owner') {
      db.pragma(`page_size = ${PAGE_BYTES}`)
      db.pragma('journal_mode = WAL')
      db.pragma(`synchronous = ${synchronous}`)
      db.pragma(`wal_autocheckpoint = ${CHECKPOINT_PAGES}`)
      db.exec(INBOX_SCHEMA)
      db.transaction(countUncountedRows).immediate(db)
    }
    const idGap = { through: 0 }
    const checkFiles = createFileGuard([path, `${path}-wal`, ...alsoGuarded])
    return {
      ...createWriter(db, role, { idGap, checkFiles, onCommit }),
      ...createReader(db, idGap),
      checkFiles,
      close: () => db.close(),
    }
  } catch (error) {
    db.close()
    throw error
  }
}

/** Counts one event for each row that was added by an earlier version of the service. */
const countUncountedRows = (db: SqliteDatabase): void => {
  db.exec(`INSERT INTO event_count
    SELECT id, row_number() OVER (ORDER BY id) + (SELECT coalesce(max(through), 0) FROM event_count) FROM request
    WHERE id > (SELECT coalesce(max(id), 0) FROM event_count)`)
}

/**
 * Counts again after rows were renumbered. The change of ids is the same for all of a project's rows.
 *
 * @param shift What was added to the ids of the project.
 */
const recountEvents = (db: SqliteDatabase, projectId: number, shift: number): void => {
  db.exec(`CREATE TEMP TABLE counted AS
    SELECT id, through - coalesce(lag(through) OVER (ORDER BY id), 0) AS events FROM event_count`)
  db.prepare(
    'UPDATE counted SET id = id + $shift WHERE id + $shift IN (SELECT id FROM request WHERE project_id = $projectId)',
  ).run({
    shift,
    projectId,
  })
  db.exec(`DELETE FROM event_count;
    INSERT INTO event_count SELECT id, sum(events) OVER (ORDER BY id) FROM counted WHERE id IN (SELECT id FROM request);
    DROP TABLE counted`)
}

interface PendingAppend {
  readonly eventCount: number
  readonly request: AcceptedRequest
  readonly resolve: (id: number) => void
  readonly reject: (error: unknown) => void
}

/**
 * Ids up to `through` may have gaps. Above it there are none: a failed transaction returns its ids, and only
 * `continueAbove` and `renumberAbove` skip ids.
 */
interface IdGap {
  through: number
}

interface WriterParts {
  readonly idGap: IdGap
  readonly checkFiles: () => void
  readonly onCommit: ((id: number) => void) | undefined
}

const createWriter = (
  db: SqliteDatabase,
  role: 'owner' | 'reader',
  { idGap, checkFiles, onCommit }: WriterParts,
): Pick<Inbox, 'append' | 'deleteThrough' | 'probe' | 'continueAbove' | 'renumberAbove'> => {
  if (role === 'reader') {
    const refuse = (): never => {
      throw new Error('This process opened the inbox as a reader and cannot write to it.')
    }
    return {
      append: async () => refuse(),
      deleteThrough: refuse,
      probe: refuse,
      continueAbove: refuse,
      renumberAbove: refuse,
    }
  }

  const insert = db.prepare<[number, number, string | null, string, Uint8Array]>(
    'INSERT INTO request (project_id, received_at, address, form, body) VALUES (?, ?, ?, ?, ?)',
  )
  const insertCount = db.prepare<[number, number]>('INSERT INTO event_count VALUES (?, ?)')
  const selectThrough = prepareEventsThrough(db)
  const insertAll = db.transaction((appends: readonly PendingAppend[]) => {
    let through = selectThrough(Number.MAX_SAFE_INTEGER)
    return appends.map(({ request: { projectId, receivedAt, address, form, body }, eventCount }) => {
      const id = Number(insert.run(projectId, receivedAt, address, form, body).lastInsertRowid)
      through += eventCount
      insertCount.run(id, through)
      return id
    })
  })
  const deleteCounts = db.prepare<[number]>(
    'DELETE FROM event_count WHERE id < (SELECT max(id) FROM event_count WHERE id < ?)',
  )
  const selectFirst = db.prepare<[], number | null>('SELECT min(id) FROM request').pluck()
  const deleteRows = db.prepare<[number, number]>(
    'DELETE FROM request WHERE id IN (SELECT id FROM request WHERE id <= ? ORDER BY id LIMIT ?)',
  )
  const writeProbe = db.prepare<[number, number]>(
    'INSERT OR REPLACE INTO probe (id, at, filler) VALUES (1, ?, zeroblob(?))',
  )

  const readLastId = prepareLastId(db)
  const saveLastId = (id: number): void => {
    // sqlite_sequence has no unique key, and no row before the first insert.
    db.prepare("DELETE FROM sqlite_sequence WHERE name = 'request'").run()
    db.prepare("INSERT INTO sqlite_sequence (name, seq) VALUES ('request', ?)").run(id)
  }

  const storedRecord = createStoredRecord(db)
  let pending: PendingAppend[] = []
  // Size of the last refused commit; 0 after a successful write.
  let refusedBytes = 0
  let damageError: unknown = null
  const commit = (): void => {
    const appends = pending
    pending = []
    try {
      const ids = insertAll.immediate(appends)
      // After the commit: a file that loses its name before it would take the rows with it.
      checkFiles()
      refusedBytes = 0
      for (const [index, { resolve }] of appends.entries()) resolve(ids[index]!)
      onCommit?.(ids.at(-1)!)
    } catch (error) {
      if (classifyFileError(error) === 'damaged') damageError = error
      refusedBytes = appends.reduce((bytes, { request }) => bytes + request.body.length, 0)
      for (const { reject } of appends) reject(error)
    }
  }

  return {
    append: (request, eventCount = 1) =>
      new Promise((resolve, reject) => {
        // The check phase (setImmediate) follows the poll phase that reads the requests of this turn.
        if (pending.push({ request, eventCount, resolve, reject }) === 1) setImmediate(commit)
      }),
    deleteThrough: db.transaction((id: number, maxRows: number) => {
      storedRecord.add(id, maxRows)
      const { changes } = deleteRows.run(id, maxRows)
      if (changes > 0) deleteCounts.run(selectFirst.get() ?? Number.MAX_SAFE_INTEGER)
      return changes
    }).immediate,
    continueAbove: db.transaction((watermark: number) => {
      const lastId = readLastId()
      idGap.through = Math.max(lastId, watermark)
      if (lastId < watermark) saveLastId(watermark)
      return idGap.through
    }).immediate,
    renumberAbove: db.transaction((projectId: number, watermark: number) => {
      const { first, last } = db
        .prepare<[number], { first: number | null; last: number | null }>(
          'SELECT min(id) AS first, max(id) AS last FROM request WHERE project_id = ?',
        )
        .get(projectId)!
      const base = Math.max(readLastId(), watermark)
      idGap.through = base
      if (first !== null && last !== null) {
        db.prepare('UPDATE request SET id = id + ? WHERE project_id = ?').run(base + 1 - first, projectId)
        idGap.through = base + 1 - first + last
        recountEvents(db, projectId, base + 1 - first)
      }
      saveLastId(idGap.through)
      return idGap.through
    }).immediate,
    probe: (now) => {
      checkFiles()
      // A probe writes to other pages, which may be intact.
      if (damageError !== null) throw new DamagedFileError('The inbox is damaged.', { cause: damageError })
      // A disk that refused a large write may still take a small one, so the probe has the size of the refused write.
      writeProbe.run(now, Math.min(refusedBytes, MAX_PROBE_BYTES))
      if (refusedBytes > 0) writeProbe.run(now, 0)
      refusedBytes = 0
    },
  }
}

const prepareLastId = (db: SqliteDatabase): (() => number) => {
  const sequence = db.prepare("SELECT seq FROM sqlite_sequence WHERE name = 'request'").pluck()
  return () => Number(sequence.get() ?? 0)
}

/** Prepares the lookup of the number of events up to and including a row. */
const prepareEventsThrough = (db: SqliteDatabase): ((id: number) => number) => {
  const select = db
    .prepare<[number], number>('SELECT through FROM event_count WHERE id <= ? ORDER BY id DESC LIMIT 1')
    .pluck()
  return (id) => select.get(id) ?? 0
}

const createReader = (
  db: SqliteDatabase,
  idGap: IdGap,
): Pick<
  Inbox,
  'readAfter' | 'readOthersAfter' | 'backlogAfter' | 'lastAssignedId' | 'usedBytes' | 'storedAfter' | 'storedProjects'
> => {
  const selectAfter = db.prepare<[number, number], RequestRow>(
    'SELECT id, project_id, received_at, address, form, body FROM request WHERE id > ? ORDER BY id LIMIT ?',
  )
  const selectOthers = db.prepare<[number, number, number, number], RequestRow>(
    `SELECT id, project_id, received_at, address, form, body FROM request
      WHERE id > ? AND id <= ? AND project_id <> ? ORDER BY id LIMIT ?`,
  )
  const selectEnds = db.prepare<[], { first: number | null; last: number | null }>(
    'SELECT (SELECT min(id) FROM request) AS first, (SELECT max(id) FROM request) AS last',
  )
  const countBetween = db
    .prepare<[number, number], number>('SELECT count(*) FROM request WHERE id > ? AND id <= ?')
    .pluck()
  const selectThrough = prepareEventsThrough(db)
  const selectOldest = db
    .prepare<[number], number>('SELECT received_at FROM request WHERE id > ? ORDER BY id LIMIT 1')
    .pluck()

  const { storedAfter, storedProjects } = createStoredRecord(db)
  return {
    storedAfter,
    storedProjects,
    lastAssignedId: prepareLastId(db),
    readAfter: (id, maxRows, maxBytes) => readRows(selectAfter.iterate(id, maxRows), maxBytes),
    readOthersAfter: ({ after, through, projectId }, maxRows, maxBytes) =>
      readRows(selectOthers.iterate(after, through, projectId, maxRows), maxBytes),
    backlogAfter: (id) => {
      const { first, last } = selectEnds.get()!
      if (first === null || last === null || last <= id) return NO_BACKLOG
      const { through } = idGap
      // Rows in the range with gaps must be counted; above it, the ids themselves give the number.
      const countedRows = id < through && first <= through ? countBetween.get(id, through)! : 0
      const rows = countedRows + Math.max(0, last - Math.max(id, through, first - 1))
      const events = selectThrough(last) - selectThrough(Math.max(id, first - 1))
      return { rows, events, oldestReceivedAt: selectOldest.get(id) ?? null }
    },
    usedBytes: () => {
      const pages = readPragma(db, 'page_count') - readPragma(db, 'freelist_count')
      return pages * readPragma(db, 'page_size')
    },
  }
}

/** Throws if the first row cannot be read; otherwise ends before a row that cannot. */
const readRows = (source: Iterable<RequestRow>, maxBytes: number): InboxRow[] => {
  const rows: InboxRow[] = []
  let bytes = 0
  try {
    for (const row of source) {
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
}

interface RequestRow {
  readonly id: number
  readonly project_id: number
  readonly received_at: number
  readonly address: string | null
  readonly form: string
  readonly body: Buffer
}

const readPragma = (db: SqliteDatabase, name: string): number => Number(db.pragma(name, { simple: true }))
