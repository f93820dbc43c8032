import { existsSync, renameSync, rmSync } from 'node:fs'
import { openSqlite } from '../sqlite/sqlite.ts'
import type { SqliteDatabase } from '../sqlite/sqlite.ts'
import { classifyFileError } from '../sqlite/classify-file-error.ts'
import type { EventIdentity } from './event-store.ts'
import { StoreFileError } from './store-file-error.ts'

/**
 * Finds duplicates of uuids that contain no time (version 4 and others). Their order is random, so no range narrows the
 * lookup in the store. Instead, a B-tree on disk records which inbox row and index first claimed each uuid. A claim is
 * committed before its event: after a crash in between, the same event is read again and still owns its claim.
 */
export interface UuidClaims {
  /** Claims the uuids of events; returns the duplicates, whose uuid another row or index owns. */
  claim(events: readonly EventIdentity[]): EventIdentity[]
  close(): void
}

/** How the claims of one project are opened. */
export interface UuidClaimsOptions {
  /** The SQLite file. */
  readonly file: string
  /** Streams the uuids of the stored events that need claims. Read when the file is new, or created again after damage. */
  readonly storedUuids: () => AsyncIterable<readonly string[]>
  /** Receives a message when a damaged file was replaced. */
  readonly onRepair: (message: string) => void
}

/**
 * Opens the claims of one project. Claims can be derived from the stored events, so a damaged file is renamed and created
 * again. Rejects with `StoreFileError` and leaves nothing open.
 */
export const openUuidClaims = async (options: UuidClaimsOptions): Promise<UuidClaims> => {
  const { file, onRepair } = options
  try {
    try {
      return await openFile(options)
    } catch (error) {
      if (classifyFileError(error) !== 'damaged') throw error
      const backup = moveAway(file)
      onRepair(
        `${file} was damaged (${String(error)}): it is kept as ${backup} and created again from the stored events.`,
      )
      return await openFile(options)
    }
  } catch (error) {
    throw new StoreFileError(file, error)
  }
}

const openFile = async ({ file, storedUuids }: UuidClaimsOptions): Promise<UuidClaims> => {
  const database = openSqlite(file)
  try {
    database.pragma('journal_mode = WAL')
    // A claim lost after its event was stored would let a duplicate in.
    database.pragma('synchronous = FULL')
    const hasTable = database.prepare("SELECT 1 FROM sqlite_master WHERE name = 'claim'").get() !== undefined
    if (!hasTable) await createTable(database, storedUuids())
    return createClaims(database, file)
  } catch (error) {
    database.close()
    throw error
  }
}

/** Creates the table with all its claims in one transaction. */
const createTable = async (database: SqliteDatabase, storedUuids: AsyncIterable<readonly string[]>): Promise<void> => {
  database.exec('BEGIN IMMEDIATE')
  database.exec(
    'CREATE TABLE claim (uuid BLOB PRIMARY KEY, inbox_row INTEGER NOT NULL, place INTEGER NOT NULL) WITHOUT ROWID',
  )
  const insert = database.prepare('INSERT INTO claim VALUES (?, ?, ?) ON CONFLICT DO NOTHING')
  for await (const uuids of storedUuids)
    for (const uuid of uuids) insert.run(toUuidBytes(uuid), STORED_OWNER.row, STORED_OWNER.index)
  database.exec('COMMIT')
}

/** Placeholder owner of stored events: their real rows are complete and not read again, so no event claims as this owner. */
const STORED_OWNER = { row: 0, index: 0 }

const toUuidBytes = (uuid: string): Buffer => Buffer.from(uuid.replaceAll('-', ''), 'hex')

/** Renames a damaged file and its log; returns the new name. */
const moveAway = (file: string): string => {
  const newName = `${file}.damaged-${new Date().toISOString().replaceAll(':', '')}`
  for (const suffix of ['', '-wal'])
    if (existsSync(`${file}${suffix}`)) renameSync(`${file}${suffix}`, `${newName}${suffix}`)
  rmSync(`${file}-shm`, { force: true })
  return newName
}

const createClaims = (database: SqliteDatabase, file: string): UuidClaims => {
  const insert = database.prepare('INSERT INTO claim (uuid, inbox_row, place) VALUES (?, ?, ?) ON CONFLICT DO NOTHING')
  const selectOwner = database.prepare<[Buffer], { inbox_row: number; place: number }>(
    'SELECT inbox_row, place FROM claim WHERE uuid = ?',
  )
  const claimAll = database.transaction((events: readonly EventIdentity[]) =>
    events.filter((event) => {
      const uuid = toUuidBytes(event.uuid)
      if (insert.run(uuid, event.inboxRow, event.index).changes === 1) return false
      const owner = selectOwner.get(uuid)
      return owner?.inbox_row !== event.inboxRow || owner.place !== event.index
    }),
  )
  let isDamaged = false
  return {
    claim(events) {
      if (events.length === 0) return []
      try {
        return claimAll.immediate(events)
      } catch (error) {
        isDamaged ||= classifyFileError(error) === 'damaged'
        throw new StoreFileError(file, error)
      }
    },
    close() {
      database.close()
      // The next open creates it again.
      if (isDamaged) moveAway(file)
    },
  }
}
