import { existsSync, renameSync, rmSync } from 'node:fs'
import Database from 'better-sqlite3'
import { fileFault } from '../sqlite/file-fault.ts'
import type { EventIdentity } from './event-store.ts'
import { StoreFileError } from './store-file-error.ts'

/**
 * Uuids without a time in them (version 4 and the like) lie anywhere, so no range narrows the look-up for a duplicate.
 * Each is claimed here by the first inbox row and place that brought it, in a tree on disk of its own. The claim is
 * committed before the event: a crash between the two leaves a claim whose owner comes again and still owns it.
 */
export interface UuidClaims {
  /** The events whose uuid another row or place owns. */
  foreign(events: readonly EventIdentity[]): EventIdentity[]
  close(): void
}

/** How the claims of one project are opened. */
export interface UuidClaimsOptions {
  /** The SQLite file. */
  readonly file: string
  /** The uuids of the stored events that have claims, in parts: read where the file is new, or damaged and made anew. */
  readonly stored: () => AsyncIterable<readonly string[]>
  /** Told when a damaged file was set aside and the claims made anew. */
  readonly onRepair: (message: string) => void
}

/**
 * Opens the claims of one project. What is claimed follows from what is stored, so that a damaged file is set aside and
 * made anew. Rejects with `StoreFileError` and nothing left open.
 */
export const openUuidClaims = async (options: UuidClaimsOptions): Promise<UuidClaims> => {
  const { file, onRepair } = options
  try {
    try {
      return await openFile(options)
    } catch (error) {
      if (fileFault(error) !== 'damaged') throw error
      const aside = setAside(file)
      onRepair(`${file} was damaged (${String(error)}): it is kept as ${aside}, and made anew from the stored events.`)
      return await openFile(options)
    }
  } catch (error) {
    throw new StoreFileError(file, error)
  }
}

const openFile = async ({ file, stored }: UuidClaimsOptions): Promise<UuidClaims> => {
  const database = new Database(file)
  try {
    database.pragma('journal_mode = WAL')
    // A claim that is lost after its event was stored would let a duplicate in.
    database.pragma('synchronous = FULL')
    const isKnown = database.prepare("SELECT 1 FROM sqlite_master WHERE name = 'claim'").get() !== undefined
    if (!isKnown) await createTable(database, stored())
    return claimsIn(database, file)
  } catch (error) {
    database.close()
    throw error
  }
}

/** The table is there with all its claims or not at all. */
const createTable = async (database: Database.Database, stored: AsyncIterable<readonly string[]>): Promise<void> => {
  database.exec('BEGIN IMMEDIATE')
  database.exec(
    'CREATE TABLE claim (uuid BLOB PRIMARY KEY, inbox_row INTEGER NOT NULL, place INTEGER NOT NULL) WITHOUT ROWID',
  )
  const insert = database.prepare('INSERT INTO claim VALUES (?, ?, ?) ON CONFLICT DO NOTHING')
  for await (const uuids of stored) for (const uuid of uuids) insert.run(bytesOf(uuid), STORED.row, STORED.place)
  database.exec('COMMIT')
}

/** Stands for the row and place of an event that is stored: the position covers it, so that no row comes as its owner. */
const STORED = { row: 0, place: 0 }

const bytesOf = (uuid: string): Buffer => Buffer.from(uuid.replaceAll('-', ''), 'hex')

/** Moves a file and its log aside; answers its new name. */
const setAside = (file: string): string => {
  const aside = `${file}.damaged-${new Date().toISOString().replaceAll(':', '')}`
  for (const end of ['', '-wal']) if (existsSync(`${file}${end}`)) renameSync(`${file}${end}`, `${aside}${end}`)
  rmSync(`${file}-shm`, { force: true })
  return aside
}

const claimsIn = (database: Database.Database, file: string): UuidClaims => {
  const insert = database.prepare('INSERT INTO claim (uuid, inbox_row, place) VALUES (?, ?, ?) ON CONFLICT DO NOTHING')
  const owner = database.prepare<[Buffer], { inbox_row: number; place: number }>(
    'SELECT inbox_row, place FROM claim WHERE uuid = ?',
  )
  const claimAll = database.transaction((events: readonly EventIdentity[]) =>
    events.filter((event) => {
      const uuid = bytesOf(event.uuid)
      if (insert.run(uuid, event.inboxRow, event.index).changes === 1) return false
      const claim = owner.get(uuid)
      return claim?.inbox_row !== event.inboxRow || claim.place !== event.index
    }),
  )
  let isDamaged = false
  return {
    foreign(events) {
      if (events.length === 0) return []
      try {
        return claimAll.immediate(events)
      } catch (error) {
        isDamaged ||= fileFault(error) === 'damaged'
        throw new StoreFileError(file, error)
      }
    },
    close() {
      database.close()
      // The next who opens it makes it anew.
      if (isDamaged) setAside(file)
    },
  }
}
