import type { DuckDBConnection, DuckDBValue } from '@duckdb/node-api'
import { DuckDBBlobValue } from '@duckdb/node-api'
import type { JsonObject } from '../../../../wire/json.ts'
import { encodeJson } from '../clickhouse/encode-json.ts'
import { clampTime } from '../clickhouse/event-rows.ts'
import type { RejectedRow, StoredEvent } from '../event-store.ts'
import { toStoredEvent } from '../to-stored-event.ts'
import { createEventSums } from '../event-sums.ts'
import type { CopiedEvents, StoreReader } from '../store-reader.ts'
import { readFrequentShapes } from './event-table/frequent-shapes.ts'
import { eventsWithPieces, propertiesSql } from './event-table/properties-sql.ts'
import { readPropertyColumns } from './event-table/property-column.ts'
import { openCurrentFile } from './open-current-file.ts'
import type { OpenFileOptions } from './open-current-file.ts'
import { readStoredProgress } from './read-stored-progress.ts'
import { createTables, hasCurrentSchema } from './schema-version.ts'
import { streamRows } from './stream-rows.ts'
import { readRanges } from './upgrade/row-ranges.ts'
import type { RowRange } from './upgrade/row-ranges.ts'

/** Reads a project's file. The place of an event is the number of events up to it, in the order in which they were stored. */
export interface FileReader extends StoreReader {
  readEvents(after: number): AsyncGenerator<CopiedEvents<number>>
  /** The event that was stored last; null without one. */
  readLastEvent(): Promise<Pick<StoredEvent, 'uuid' | 'event'> | null>
  countRejected(): Promise<number>
}

/** Most events of a list: each list costs a look at all distinct ids. */
const MAX_ROWS = 30_000

/** Opens a file, after its upgrade if an older version wrote it. No store may have it open. Rejects with nothing left open. */
export const openFileReader = async (options: OpenFileOptions): Promise<FileReader> => {
  const file = await openCurrentFile(options)
  try {
    return await createReader(file.writer, file.close)
  } catch (error) {
    await file.close()
    throw error
  }
}

const createReader = async (connection: DuckDBConnection, close: () => Promise<void>): Promise<FileReader> => {
  if (!(await hasCurrentSchema(connection))) await createTables(connection)
  const { position, revision: personRevision } = await readStoredProgress(connection)
  const properties = propertiesSql(await readPropertyColumns(connection), await readFrequentShapes(connection))
  const readNumber = async (sql: string): Promise<number> =>
    Number((await connection.runAndReadAll(sql)).getRows()[0]?.[0])
  const eventCount = await readNumber('SELECT count(*) FROM internal.events')
  const countRejected = () => readNumber('SELECT count(*) FROM internal.rejected')

  const readRange = async ({ first, end }: RowRange) => {
    // The order of a joined result is not that of the table, but a list is stored as a whole.
    const sql = `SELECT uuid::VARCHAR, event, ids.distinct_id, epoch_ms(timestamp), epoch_ms(received_at), historical, ${properties}::VARCHAR
      FROM ${eventsWithPieces(`rowid >= ${first} AND rowid < ${end}`)}
      JOIN internal.distinct_ids AS ids ON ids.number = distinct_id_number`
    const events: StoredEvent[] = []
    let bytes = 0
    for await (const rows of streamRows(connection, sql))
      for (const row of rows) {
        events.push(toStoredEvent(row))
        bytes += String(row.at(-1)).length
      }
    return { events, bytes, last: end }
  }
  const readEvents = (first: number) => readRanges({ first, end: eventCount }, readRange, MAX_ROWS)

  return {
    position,
    personRevision,
    eventCount,
    readEvents,
    async *readRejected(skipped) {
      const count = await countRejected()
      for (let row = skipped; row < count; row++) {
        const reader = await connection.runAndReadAll(
          `SELECT inbox_row, epoch_ms(received_at), reason, form, body FROM internal.rejected ORDER BY rowid LIMIT 1 OFFSET ${row}`,
        )
        yield toRejectedRow(reader.getRows()[0]!)
      }
    },
    async sumEvents() {
      const sums = createEventSums()
      for await (const { events } of readEvents(0))
        for (const event of events)
          sums.add({
            ...event,
            timestamp: clampTime(event.timestamp),
            receivedAt: clampTime(event.receivedAt),
            properties: encodeJson(event.properties as JsonObject),
          })
      return sums.read()
    },
    async readLastEvent() {
      const reader = await connection.runAndReadAll(
        `SELECT uuid::VARCHAR, event FROM internal.events WHERE rowid = ${eventCount - 1}`,
      )
      const [row] = reader.getRows()
      return row === undefined ? null : { uuid: String(row[0]), event: String(row[1]) }
    },
    countRejected,
    // eslint-disable-next-line typescript/require-await
    async close() {
      await close()
    },
  }
}

const toRejectedRow = ([inboxRow, receivedAt, reason, form, body]: readonly DuckDBValue[]): RejectedRow => ({
  inboxRow: Number(inboxRow),
  receivedAt: Number(receivedAt),
  reason: String(reason),
  form: String(form),
  body: body instanceof DuckDBBlobValue ? body.bytes : new Uint8Array(),
})
