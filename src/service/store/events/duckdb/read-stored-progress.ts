import type { DuckDBConnection } from '@duckdb/node-api'
import { fromStoredPosition } from '../../row-position.ts'
import type { StoreProgress } from './packed-store.ts'

/** Reads how far a file is. */
export const readStoredProgress = async (connection: DuckDBConnection): Promise<StoreProgress> => {
  const reader = await connection.runAndReadAll('SELECT inbox_row, events, person_revision FROM internal.progress')
  const [inboxRow, events = null, revision] = reader.getRows()[0] ?? [0]
  const position = fromStoredPosition({ inbox_row: Number(inboxRow), events: events === null ? null : Number(events) })
  return { position, revision: Number(revision ?? 0) }
}
