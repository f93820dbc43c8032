import { quoteString } from '../../../sql/quote-clickhouse.ts'
import type { RejectedRow, StoredEvent } from '../event-store.ts'
import { toStoredEvent } from '../to-stored-event.ts'
import type { CopiedEvents, StoreReader } from '../store-reader.ts'
import { connectClickHouse } from './connect.ts'
import type { ClickHouseConnection } from './connect.ts'
import { openClickHouseStore } from './open-store.ts'
import type { ClickHouseStoreOptions } from './open-store.ts'
import { readRows } from './read-rows.ts'
import { toStoreServerError } from './server-error.ts'
import { MAX_SUM_MS, sumEvents } from './sum-events.ts'
import { hourOf } from './uuid-hour.ts'

/** The key of an event; null before the first one. */
export type EventKey = Pick<StoredEvent, 'uuid' | 'event'> | null

/** Reads a project's database. The place of an event is its key. */
export interface DatabaseReader extends StoreReader {
  /** @param listBytes bytes of properties from which on a list is complete. */
  readEvents(after: EventKey, listBytes: number): AsyncGenerator<CopiedEvents<EventKey>>
}

/** Most events of one SELECT. */
const PAGE_ROWS = 50_000

/** Longest time of a SELECT of a page, which is read as fast as its events are stored elsewhere. */
const MAX_PAGE_MS = 600_000

/** Opens the database of a project, with the position of a node. Rejects with nothing left open: with `StoreServerError` as a store does. */
export const openDatabaseReader = async (options: ClickHouseStoreOptions): Promise<DatabaseReader> => {
  // Its tables and its owner are checked.
  const store = await openClickHouseStore(options)
  const [position, personRevision] = [store.position(), store.personRevision()]
  await store.close()
  const connection = await connectClickHouse(options.server, options.projectId)
  const { administrator, place } = connection
  const asServerError = async <Result>(work: () => Promise<Result>): Promise<Result> => {
    try {
      return await work()
    } catch (error) {
      throw toStoreServerError(place, error)
    }
  }
  try {
    const eventCount = await asServerError(async () => {
      const [row] = await readRows<[string]>(administrator, 'SELECT count() FROM stored_events FINAL', MAX_SUM_MS)
      return Number(row?.[0])
    })
    return {
      position,
      personRevision,
      eventCount,
      readEvents: (after, listBytes) => readEvents(connection, after, listBytes),
      readRejected: (skipped) => readRejected(connection, skipped),
      sumEvents: () => asServerError(() => sumEvents(administrator)),
      close: connection.close,
    }
  } catch (error) {
    await connection.close()
    throw error
  }
}

const readEvents = async function* (
  connection: ClickHouseConnection,
  after: EventKey,
  listBytes: number,
): AsyncGenerator<CopiedEvents<EventKey>> {
  let last = after
  for (;;) {
    let count = 0
    for await (const events of readPage(connection, last, listBytes)) {
      count += events.length
      last = events.at(-1)!
      yield { events, last }
    }
    if (count < PAGE_ROWS) return
  }
}

const readPage = async function* (
  { administrator, place }: ClickHouseConnection,
  after: EventKey,
  listBytes: number,
): AsyncGenerator<readonly StoredEvent[]> {
  let events: StoredEvent[] = []
  let bytes = 0
  try {
    const answer = await administrator.query({
      query: `SELECT toString(uuid), event, distinct_id, toUnixTimestamp64Milli(timestamp), toUnixTimestamp64Milli(received_at),
          historical, properties
        FROM stored_events FINAL ${after === null ? '' : `WHERE ${isAfter(after)}`} ORDER BY uuid_hour, event, uuid LIMIT ${PAGE_ROWS}`,
      format: 'JSONCompactEachRow',
      abort_signal: AbortSignal.timeout(MAX_PAGE_MS),
      clickhouse_settings: { wait_end_of_query: 0 },
    })
    for await (const rows of answer.stream())
      for (const row of rows) {
        const values: readonly unknown[] = row.json()
        events.push(toStoredEvent(values))
        bytes += String(values.at(-1)).length
        if (bytes < listBytes) continue
        yield events
        events = []
        bytes = 0
      }
  } catch (error) {
    throw toStoreServerError(place, error)
  }
  if (events.length > 0) yield events
}

/** By the columns of the table's key, so that the events before are not read. */
const isAfter = ({ uuid, event }: NonNullable<EventKey>): string => {
  const hour = hourOf(uuid)
  const name = quoteString(event)
  return `(uuid_hour > ${hour} OR uuid_hour = ${hour} AND (event > ${name} OR event = ${name} AND uuid > toUUID(${quoteString(uuid)})))`
}

const readRejected = async function* (
  { administrator, place }: ClickHouseConnection,
  skipped: number,
): AsyncGenerator<RejectedRow> {
  for (let row = skipped; ; row++) {
    const query = `SELECT inbox_row, toUnixTimestamp64Milli(received_at), reason, form, body FROM rejected FINAL
      ORDER BY node, inbox_row LIMIT 1 OFFSET ${row}`
    const rows = await readRows<readonly unknown[]>(administrator, query).catch((error: unknown) => {
      throw toStoreServerError(place, error)
    })
    if (rows.length === 0) return
    const [inboxRow, receivedAt, reason, form, body] = rows[0]!
    yield {
      inboxRow: Number(inboxRow),
      receivedAt: Number(receivedAt),
      reason: String(reason),
      form: String(form),
      body: Buffer.from(String(body), 'base64'),
    }
  }
}
