import type { JsonObject } from '../../../../../wire/json.ts'
import type { StoredEvent } from '../../event-store.ts'
import type { DeriveOriginId, DistinctIds } from '../distinct-ids.ts'
import { openDistinctIds } from '../distinct-ids.ts'
import { openEventTable } from '../event-table/event-table.ts'
import { streamRows } from '../stream-rows.ts'
import { runTransaction } from '../transaction.ts'
import type { EventLayout } from './event-layout.ts'
import { listTables } from './event-layout.ts'
import type { FilePair } from './file-pair.ts'
import { countCopiedRows, replaceRows } from './file-pair.ts'

/** Rows of one commit: DuckDB writes whole row groups of this size at best. */
const COMMIT_ROWS = 122_880

/** Size after which rows are committed, as JSON: a commit keeps its rows in memory. */
const COMMIT_BYTES = 64 * 1024 * 1024

/** Tables that have fewer columns in earlier versions, or the same: their old and new names. */
const COPIED_TABLES = [
  ['internal.progress', 'internal.progress'],
  ['internal.rejected', 'internal.rejected'],
  ['main.persons', 'internal.persons'],
  ['main.groups', 'internal.groups'],
] as const

/** Copies a file whose events have their properties in one column. */
export const copyEarlierFile = async (
  files: FilePair,
  layout: EventLayout | null,
  deriveOriginId: DeriveOriginId,
): Promise<void> => {
  const distinctIds = await openDistinctIds(files.writer, deriveOriginId)
  if (layout !== null) await copyEvents(files, layout, distinctIds)
  const tables = await listTables(files.reader)
  // One transaction: a copy that continues does this again, or finds all of it.
  await runTransaction(files.writer, async () => {
    if (tables.includes('internal.distinct_id')) await copyDistinctIds(files, distinctIds)
    for (const [from, to] of COPIED_TABLES) if (tables.includes(from)) await replaceRows(files, from, to)
  })
}

/** Copies the events that the new file does not have yet, in the order of their rows. */
const copyEvents = async (
  files: FilePair,
  { table, columns }: EventLayout,
  distinctIds: DistinctIds,
): Promise<void> => {
  const { reader, writer, old } = files
  const eventTable = await openEventTable(writer, distinctIds)
  const historical = columns.has('historical') ? 'historical' : 'false'
  // Without ORDER BY: DuckDB reads the rows in their order.
  const sql = `SELECT uuid::VARCHAR, event, distinct_id, epoch_ms(timestamp), epoch_ms(received_at), ${historical}, properties::VARCHAR
    FROM ${old}.${table} WHERE rowid >= ${await countCopiedRows(files, table)}`
  let rows = 0
  let bytes = 0
  const commit = async (): Promise<void> => {
    await writer.run('COMMIT')
    distinctIds.onCommit()
    await eventTable.addFrequentColumns()
    rows = 0
    bytes = 0
  }
  for await (const oldRows of streamRows(reader, sql)) {
    const events = oldRows.map(toStoredEvent)
    if (rows === 0) await writer.run('BEGIN TRANSACTION')
    await distinctIds.add(
      events.map(({ distinctId }) => distinctId),
      new Map(),
    )
    await eventTable.append(events)
    rows += events.length
    bytes += oldRows.reduce((sum, row) => sum + String(row.at(-1)).length, 0)
    if (rows >= COMMIT_ROWS || bytes >= COMMIT_BYTES) await commit()
  }
  if (rows > 0) await commit()
}

const toStoredEvent = (values: readonly unknown[]): StoredEvent => {
  const [uuid, event, distinctId, timestamp, receivedAt, isHistorical, properties] = values
  return {
    uuid: String(uuid),
    event: String(event),
    distinctId: String(distinctId),
    timestamp: Number(timestamp),
    receivedAt: Number(receivedAt),
    isHistorical: isHistorical === true,
    properties: JSON.parse(String(properties)) as JsonObject,
    // Only for finding duplicates.
    inboxRow: 0,
    index: 0,
  }
}

/** The persons of distinct ids. */
const copyDistinctIds = async ({ reader, old }: FilePair, distinctIds: DistinctIds): Promise<void> => {
  const sql = `SELECT distinct_id, person_id::VARCHAR FROM ${old}.internal.distinct_id`
  for await (const rows of streamRows(reader, sql))
    await distinctIds.add([], new Map(rows.map(([distinctId, personId]) => [String(distinctId), String(personId)])))
}
