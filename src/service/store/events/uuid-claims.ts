import Database from 'better-sqlite3'
import type { EventIdentity } from './event-store.ts'

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

/** Opens or creates the claims of one project. Throws with nothing left open. */
export function openUuidClaims(file: string): UuidClaims {
  const database = new Database(file)
  try {
    return claimsIn(database)
  } catch (error) {
    database.close()
    throw error
  }
}

function claimsIn(database: Database.Database): UuidClaims {
  database.pragma('journal_mode = WAL')
  // A claim that is lost after its event was stored would let a duplicate in.
  database.pragma('synchronous = FULL')
  database.exec(
    'CREATE TABLE IF NOT EXISTS claim (uuid BLOB PRIMARY KEY, inbox_row INTEGER NOT NULL, place INTEGER NOT NULL) WITHOUT ROWID',
  )
  const insert = database.prepare('INSERT INTO claim (uuid, inbox_row, place) VALUES (?, ?, ?) ON CONFLICT DO NOTHING')
  const owner = database.prepare<[Buffer], { inbox_row: number; place: number }>(
    'SELECT inbox_row, place FROM claim WHERE uuid = ?',
  )
  const claimAll = database.transaction((events: readonly EventIdentity[]) =>
    events.filter((event) => {
      const uuid = Buffer.from(event.uuid.replaceAll('-', ''), 'hex')
      if (insert.run(uuid, event.inboxRow, event.index).changes === 1) return false
      const claim = owner.get(uuid)
      return claim?.inbox_row !== event.inboxRow || claim.place !== event.index
    }),
  )
  return {
    foreign: (events) => (events.length === 0 ? [] : claimAll.immediate(events)),
    close() {
      database.close()
    },
  }
}
