import type { DuckDBConnection, DuckDBInstance } from '@duckdb/node-api'
import type { EventStore } from '../event-store.ts'
import type { OriginOf } from './commit.ts'
import type { DuckDbLimits } from './open-instance.ts'
import type { UuidClaims } from '../uuid-claims.ts'
import type { RowPosition } from '../../row-position.ts'
import { QueryError } from '../../../indexer/query-error.ts'
import { openUuidClaims } from '../uuid-claims.ts'
import { positionOf } from '../../row-position.ts'
import { commitBatch, holdsEvents } from './commit.ts'
import { findDuplicates } from './duplicates.ts'
import { openInstance } from './open-instance.ts'
import { runQuery } from './run-query.ts'
import { SCHEMA, STAGING } from './schema.ts'

/** How often queries are told to end while the store closes. */
const INTERRUPT_MS = 50

/** One project's store in DuckDB. */
export interface DuckDbStoreOptions extends DuckDbLimits {
  /** The project's file; created with its folder. Beside it lie `.wal`, `.spill` and `.uuids` of the same name. */
  readonly file: string
  readonly originOf: OriginOf
  /** Told when a part was damaged and made anew. Default: nothing. */
  readonly onRepair?: (message: string) => void
}

/** Opens or creates a project's event store. Rejects with nothing left open, so that it may be tried again. */
export const openDuckDbStore = async ({
  file,
  originOf,
  onRepair = () => undefined,
  ...limits
}: DuckDbStoreOptions): Promise<EventStore> => {
  const { instance, writer, claims, progress } = await openParts(file, limits, onRepair)
  let { position, revision } = progress
  const queries = new Set<DuckDBConnection>()
  const running = new Set<Promise<unknown>>()
  let isClosed = false

  let interrupting: NodeJS.Timeout | undefined
  const interrupt = (): void => {
    isClosed = true
    const interruptAll = () => queries.forEach((connection) => connection.interrupt())
    interruptAll()
    // An interrupt between two statements is forgotten, so it is said until it is heard.
    interrupting ??= setInterval(interruptAll, INTERRUPT_MS).unref()
  }

  const track = async <Result>(work: Promise<Result>): Promise<Result> => {
    running.add(work)
    try {
      return await work
    } finally {
      running.delete(work)
    }
  }

  return {
    position: () => position,
    personRevision: () => revision,
    duplicates: (events) => track(findDuplicates(writer, claims, events)),
    holds: (events) => track(holdsEvents(writer, events, originOf)),
    async commit(batch) {
      await track(commitBatch(writer, batch, originOf))
      position = batch.position
      revision = batch.persons.revision ?? revision
    },
    query(request) {
      if (isClosed) return Promise.reject(new QueryError('store_unavailable', 'The event store is closing.'))
      return track(
        (async () => {
          const connection = await instance.connect()
          queries.add(connection)
          try {
            return await runQuery(connection, request)
          } finally {
            queries.delete(connection)
            connection.closeSync()
          }
        })(),
      )
    },
    interrupt,
    async close() {
      interrupt()
      await Promise.allSettled(running)
      clearInterval(interrupting)
      try {
        claims.close()
      } finally {
        writer.closeSync()
        instance.closeSync()
      }
    },
  }
}

interface Progress {
  readonly position: RowPosition
  /** Of persons. */
  readonly revision: number
}

interface Parts {
  readonly instance: DuckDBInstance
  readonly writer: DuckDBConnection
  readonly claims: UuidClaims
  readonly progress: Progress
}

const openParts = async (file: string, limits: DuckDbLimits, onRepair: (message: string) => void): Promise<Parts> => {
  const instance = await openInstance(file, limits)
  let writer: DuckDBConnection | undefined
  try {
    const opened = await instance.connect()
    writer = opened
    for (const statement of [...SCHEMA, ...STAGING]) await writer.run(statement)
    const progress = await readProgress(writer)
    const stored = (): AsyncGenerator<readonly string[]> => storedUuids(opened)
    const claims = await openUuidClaims({ file: `${file}.uuids`, stored, onRepair })
    return { instance, writer, progress, claims }
  } catch (error) {
    // Left to the garbage collector, it would close beside the instance of the next try (`openInstance`).
    writer?.closeSync()
    instance.closeSync()
    throw error
  }
}

const readProgress = async (writer: DuckDBConnection): Promise<Progress> => {
  const reader = await writer.runAndReadAll('SELECT inbox_row, events, person_revision FROM internal.progress')
  const [inboxRow, events = null, revision] = reader.getRows()[0] ?? [0]
  const position = positionOf({ inbox_row: Number(inboxRow), events: events === null ? null : Number(events) })
  return { position, revision: Number(revision ?? 0) }
}

/** The uuids of all stored events that no time orders. */
const storedUuids = async function* (writer: DuckDBConnection): AsyncGenerator<readonly string[]> {
  const result = await writer.stream(
    "SELECT uuid::VARCHAR FROM internal.event WHERE substr(uuid::VARCHAR, 15, 1) <> '7'",
  )
  for (let chunk = await result.fetchChunk(); chunk !== null && chunk.rowCount > 0; chunk = await result.fetchChunk())
    yield chunk.getRows().map(([uuid]) => String(uuid))
}
