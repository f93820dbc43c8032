import type { StoredEvent } from '../../event-store.ts'
import { toStoredEvent } from '../../to-stored-event.ts'
import type { DeriveOriginId, DistinctIds } from '../distinct-ids.ts'
import { openDistinctIds } from '../distinct-ids.ts'
import { openEventTable } from '../event-table/event-table.ts'
import { createEventPacker } from '../event-table/pack-events.ts'
import type { PropertyColumns } from '../event-table/property-column.ts'
import { readFileFacts } from '../file-facts.ts'
import { streamRows } from '../stream-rows.ts'
import { runTransaction } from '../transaction.ts'
import type { EventLayout } from './event-layout.ts'
import { listTables } from './event-layout.ts'
import type { FilePair } from './file-pair.ts'
import { COMMIT_ROWS, countCopiedRows, readRowCount, replaceRows } from './file-pair.ts'
import type { RowRange } from './row-ranges.ts'
import { readRanges } from './row-ranges.ts'

/** Part of the memory limit that the JSON of one commit may take: a commit keeps its rows in memory. */
const COMMIT_SHARE = 1 / 8

/** Tables that have fewer columns in earlier versions, or the same: their old and new names. */
const COPIED_TABLES = [
  ['internal.progress', 'internal.progress'],
  ['internal.rejected', 'internal.rejected'],
  ['main.persons', 'internal.persons'],
  ['main.groups', 'internal.groups'],
] as const

export interface CopyOptions {
  readonly deriveOriginId: DeriveOriginId
  readonly memoryMb: number
}

/** Copies a file whose events have their properties in one column. */
export const copyEarlierFile = async (
  files: FilePair,
  layout: EventLayout | null,
  { deriveOriginId, memoryMb }: CopyOptions,
): Promise<void> => {
  const { idCount, columns } = await readFileFacts(files.writer)
  const distinctIds = openDistinctIds(files.writer, { deriveOriginId, idCount })
  if (layout !== null)
    await copyEvents(files, layout, { distinctIds, columns, commitBytes: memoryMb * 1024 * 1024 * COMMIT_SHARE })
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
  layout: EventLayout,
  {
    distinctIds,
    columns,
    commitBytes,
  }: { readonly distinctIds: DistinctIds; readonly columns: PropertyColumns; readonly commitBytes: number },
): Promise<void> => {
  const { reader, writer } = files
  const eventTable = await openEventTable(writer, distinctIds, columns)
  const packer = createEventPacker(eventTable.columns())
  let rows = 0
  let bytes = 0
  const commit = async (): Promise<void> => {
    await writer.run('COMMIT')
    distinctIds.onCommit()
    await eventTable.addColumns(packer.takeFrequent())
    packer.use(eventTable.columns())
    rows = 0
    bytes = 0
  }
  const missingRows = {
    first: await countCopiedRows(files, layout.table),
    end: await readRowCount(reader, layout.table),
  }
  for await (const read of readRanges(missingRows, (range) => readEvents(files, layout, range))) {
    if (rows === 0) await writer.run('BEGIN TRANSACTION')
    const packed = packer.pack(read.events)
    await distinctIds.add(packed.distinctIds, new Map())
    await eventTable.append(packed)
    rows += read.events.length
    bytes += read.bytes
    if (rows >= COMMIT_ROWS || bytes >= commitBytes) await commit()
  }
  if (rows > 0) await commit()
}

const readEvents = async ({ reader, old }: FilePair, { table, columns }: EventLayout, { first, end }: RowRange) => {
  const historical = columns.has('historical') ? 'historical' : 'false'
  // Without ORDER BY: DuckDB reads the rows in their order.
  const sql = `SELECT uuid::VARCHAR, event, distinct_id, epoch_ms(timestamp), epoch_ms(received_at), ${historical}, properties::VARCHAR
    FROM ${old}.${table} WHERE rowid >= ${first} AND rowid < ${end}`
  const events: StoredEvent[] = []
  let bytes = 0
  for await (const rows of streamRows(reader, sql)) {
    events.push(...rows.map(toStoredEvent))
    bytes += rows.reduce((sum, row) => sum + String(row.at(-1)).length, 0)
  }
  return { events, bytes }
}

/** The persons of distinct ids. */
const copyDistinctIds = async ({ reader, old }: FilePair, distinctIds: DistinctIds): Promise<void> => {
  const sql = `SELECT distinct_id, person_id::VARCHAR FROM ${old}.internal.distinct_id`
  for await (const rows of streamRows(reader, sql))
    await distinctIds.add([], new Map(rows.map(([distinctId, personId]) => [String(distinctId), String(personId)])))
}
