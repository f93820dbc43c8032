import type { DuckDBConnection } from '@duckdb/node-api'
import type { PropertyColumns } from './event-table/property-column.ts'
import { openPropertyColumns } from './event-table/property-column.ts'
import type { StoreProgress } from './packed-store.ts'
import { readStoredProgress } from './read-stored-progress.ts'

/** What a store must know of its file before it writes. */
export interface FileFacts {
  readonly progress: StoreProgress
  /** Number of distinct ids. */
  readonly idCount: number
  /** See `DistinctIds.origins`. Known only from an earlier opening; `readFileFacts` does not read them. */
  readonly origins?: Uint32Array | undefined
  /** Whether any person may have a public id of its own (`PersonNames`). */
  readonly haveNames: boolean
  /** Whether any person or group may have changes (`PropertyChanges`). */
  readonly haveChanges: boolean
  readonly columns: PropertyColumns
}

/** Reads the facts of a connection's file, and adds the columns that each file has. */
export const readFileFacts = async (connection: DuckDBConnection): Promise<FileFacts> => {
  const columns = await openPropertyColumns(connection)
  const progress = await readStoredProgress(connection)
  const ids = await connection.runAndReadAll('SELECT count(*) FROM internal.distinct_ids')
  // One SELECT for all three: many projects may be opened in turn.
  const used = await connection.runAndReadAll(
    `SELECT EXISTS (FROM internal.person_names),
      EXISTS (FROM internal.person_changes) OR EXISTS (FROM internal.group_changes)`,
  )
  const [haveNames, haveChanges] = used.getRows()[0] ?? []
  return {
    progress,
    idCount: Number(ids.getRows()[0]?.[0]),
    haveNames: haveNames === true,
    haveChanges: haveChanges === true,
    columns,
  }
}
