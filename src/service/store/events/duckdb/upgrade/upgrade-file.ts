import type { DuckDBConnection } from '@duckdb/node-api'
import { DuckDBInstance } from '@duckdb/node-api'
import { existsSync, rmSync } from 'node:fs'
import type { JsonObject } from '../../../../wire/json.ts'
import { quoteIdentifier, quoteString } from '../../../sql/quote.ts'
import { renameDurably } from '../../file/rename-durably.ts'
import type { StoredEvent } from '../event-store.ts'
import type { DeriveOriginId, DistinctIds } from './distinct-ids.ts'
import { openDistinctIds } from './distinct-ids.ts'
import type { EventTable } from './event-table/event-table.ts'
import { openEventTable } from './event-table/event-table.ts'
import type { DuckDbLimits } from './open-instance.ts'
import { STORAGE_VERSION } from './open-instance.ts'
import { streamRows } from './stream-rows.ts'
import { runTransaction } from './transaction.ts'
import { STAGING, TABLES } from './schema.ts'

/** How a file is upgraded. */
export interface UpgradeOptions extends DuckDbLimits {
  readonly file: string
  readonly deriveOriginId: DeriveOriginId
}

/**
 * Whether an earlier version of Waymark wrote the file: in an older storage version of DuckDB, which has no zstd, or with the
 * properties of an event in one column.
 */
export const needsUpgrade = async (connection: DuckDBConnection): Promise<boolean> => {
  const reader = await connection.runAndReadAll(
    "SELECT tags['storage_version'] FROM duckdb_databases() WHERE database_name = current_database()",
  )
  const [[version = ''] = []] = reader.getRows()
  if (version !== `${STORAGE_VERSION}+`) return true
  for (const table of OLD_TABLES) if ((await listColumns(connection, table)).has('properties')) return true
  return false
}

/** The table of events in earlier versions. */
const OLD_TABLES = ['internal.event', 'internal.events']

/**
 * Copies the file into a new one with today's tables, and replaces it.
 *
 * The new file gets its name only when it is complete. A killed upgrade leaves both files, and the next one continues. Needs as much free
 * disk space as the new file takes. No instance may have the file open.
 */
export const upgradeFile = async (options: UpgradeOptions): Promise<void> => {
  const { file } = options
  const newFile = `${file}.new`
  const isContinued = existsSync(newFile)
  try {
    await copyFile(options, newFile)
  } catch (error) {
    // The copy may be damaged, or have filled the disk.
    for (const path of [newFile, `${newFile}.wal`]) rmSync(path, { force: true })
    if (!isContinued) throw error
    return upgradeFile(options)
  }
  renameDurably(newFile, file)
}

/** Memory limit of a copy, at least: DuckDB reads 2,048 rows at once, and events can be large. */
const MIN_MEMORY_MB = 1024

const copyFile = async (
  { file, deriveOriginId, memoryMb, threads }: UpgradeOptions,
  newFile: string,
): Promise<void> => {
  const instance = await DuckDBInstance.create(file, {
    memory_limit: `${Math.max(memoryMb, MIN_MEMORY_MB)}MB`,
    threads: String(threads),
    temp_directory: `${file}.spill`,
  })
  try {
    const reader = await instance.connect()
    const writer = await instance.connect()
    try {
      // Moves the rows of the write-ahead log into the file, so that no log is left when the new file takes its name.
      await reader.run('CHECKPOINT')
      const [[catalog] = []] = (await reader.runAndReadAll('SELECT current_database()')).getRows()
      await writer.run(`ATTACH ${quoteString(newFile)} AS upgraded (STORAGE_VERSION '${STORAGE_VERSION}')`)
      await writer.run('USE upgraded')
      await copyTables({ reader, writer, old: quoteIdentifier(String(catalog)), deriveOriginId })
      await writer.run('CHECKPOINT upgraded')
      await writer.run(`USE ${quoteIdentifier(String(catalog))}`)
      await writer.run('DETACH upgraded')
    } finally {
      reader.closeSync()
      writer.closeSync()
    }
  } finally {
    instance.closeSync()
  }
  for (const path of [file, newFile]) {
    if (existsSync(`${path}.wal`))
      throw new Error(`${path}.wal was not written into ${path}: the file is not replaced.`)
  }
}

interface Copy {
  /** A connection to the old file. */
  readonly reader: DuckDBConnection
  /** A connection to the new file. */
  readonly writer: DuckDBConnection
  /** The old file's catalog, as SQL. */
  readonly old: string
  readonly deriveOriginId: DeriveOriginId
}

const copyTables = async (copy: Copy): Promise<void> => {
  const { writer, deriveOriginId } = copy
  for (const statement of [...TABLES, ...STAGING]) await writer.run(statement)
  const distinctIds = await openDistinctIds(writer, deriveOriginId)
  await copyEvents(copy, distinctIds, await openEventTable(writer, distinctIds))
  // One transaction: a copy that continues does this again, or finds all of it.
  await runTransaction(writer, async () => {
    await copyDistinctIds(copy, distinctIds)
    for (const [from, to] of COPIED_TABLES) {
      if ((await listColumns(copy.reader, from)).size === 0) continue
      await writer.run(`DELETE FROM ${to}`)
      await writer.run(`INSERT INTO ${to} BY NAME FROM ${copy.old}.${from}`)
    }
  })
}

/** Tables that have the same columns in both files, or fewer in the old one: their old and new names. */
const COPIED_TABLES = [
  ['internal.progress', 'internal.progress'],
  ['internal.rejected', 'internal.rejected'],
  ['main.persons', 'internal.persons'],
  ['main.groups', 'internal.groups'],
] as const

/** Rows of one commit: DuckDB writes whole row groups of this size at best. */
const COMMIT_ROWS = 122_880

/** Size after which rows are committed, as JSON: a commit keeps its rows in memory. */
const COMMIT_BYTES = 64 * 1024 * 1024

/** Copies the events that the new file does not have yet, in the order of their rows. */
const copyEvents = async (
  { reader, writer, old }: Copy,
  distinctIds: DistinctIds,
  eventTable: EventTable,
): Promise<void> => {
  const columns = await Promise.all(OLD_TABLES.map((table) => listColumns(reader, table)))
  const index = columns.findIndex((names) => names.has('properties'))
  if (index === -1) return
  const historical = columns[index]!.has('historical') ? 'historical' : 'false'
  const [[rowCount] = []] = (await writer.runAndReadAll('SELECT count(*) FROM internal.events')).getRows()
  const copiedRows = Number(rowCount)
  await checkLastCopied({ reader, writer, old: `${old}.${OLD_TABLES[index]}` }, copiedRows)
  // Without ORDER BY: DuckDB reads the rows in their order.
  const sql = `SELECT uuid::VARCHAR, event, distinct_id, epoch_ms(timestamp), epoch_ms(received_at), ${historical}, properties::VARCHAR
    FROM ${old}.${OLD_TABLES[index]} WHERE rowid >= ${copiedRows}`
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

/** Throws if the new file is not a copy of the old file's first rows: somebody put another old file here. */
const checkLastCopied = async (
  { reader, writer, old }: Pick<Copy, 'reader' | 'writer' | 'old'>,
  copiedRows: number,
): Promise<void> => {
  if (copiedRows === 0) return
  const [copied, original] = await Promise.all(
    [
      writer.runAndReadAll('SELECT uuid::VARCHAR FROM internal.events WHERE rowid = $1', [copiedRows - 1]),
      reader.runAndReadAll(`SELECT uuid::VARCHAR FROM ${old} WHERE rowid = $1`, [copiedRows - 1]),
    ].map(async (result) => String((await result).getRows()[0]?.[0])),
  )
  if (copied !== original) throw new Error('The unfinished copy belongs to another file. It is made again.')
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

const copyDistinctIds = async ({ reader, old }: Copy, distinctIds: DistinctIds): Promise<void> => {
  if ((await listColumns(reader, 'internal.distinct_id')).size === 0) return
  const sql = `SELECT distinct_id, person_id::VARCHAR FROM ${old}.internal.distinct_id`
  for await (const rows of streamRows(reader, sql))
    await distinctIds.add([], new Map(rows.map(([distinctId, personId]) => [String(distinctId), String(personId)])))
}

/** The names of a table's columns, in the connection's own catalog; empty if there is no such table. */
const listColumns = async (connection: DuckDBConnection, table: string): Promise<ReadonlySet<string>> => {
  const reader = await connection.runAndReadAll(
    `SELECT column_name FROM duckdb_columns()
      WHERE schema_name || '.' || table_name = $1 AND database_name = current_database()`,
    [table],
  )
  return new Set(reader.getRows().map(([name]) => String(name)))
}
