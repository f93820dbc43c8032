import type { DuckDBConnection } from '@duckdb/node-api'
import { blobValue, timestampTZValue } from '@duckdb/node-api'
import { FailedCommitError, UnstorableError } from '../event-store.ts'
import { toStoredPosition } from '../../row-position.ts'
import type { DeriveOriginId, DistinctIds } from './distinct-ids.ts'
import type { EventTable } from './event-table/event-table.ts'
import type { PersonViews } from './open-person-views.ts'
import { PROPERTY_CHANGES_STAGING } from './property-changes.ts'
import type { PackedEvents } from './event-table/pack-events.ts'
import type { PackedBatch, PackedPersons, StoreProgress, TransactionEnd } from './packed-store.ts'
import { isInvalidated } from './is-invalidated.ts'
import { appendPackedRows, appendRows } from './rows/append-rows.ts'
import type { Column } from './rows/column.ts'
import type { PackedRows } from './rows/packed-rows.ts'
import { runInBackground } from './run-in-background.ts'
import { DELETE_PERSONS, REPLACE_GROUPS, REPLACE_PERSONS, UPDATE_GROUPS, UPDATE_PERSONS } from './schema.ts'

/** The transactions of one connection. */
export interface BatchWriter {
  /** Implements `PackedStore.add`. */
  add(batch: PackedBatch): Promise<void>
  /**
   * Commits the open transaction; begins one if there is none. Rolls back if that fails. Rejects with `FailedCommitError` if COMMIT itself lacks
   * memory: then the file must be opened again.
   */
  commit(end: Pick<TransactionEnd, 'persons' | 'progress'>): Promise<void>
  /** Rolls back the open transaction, if there is one. */
  discard(): Promise<void>
  /** Implements `PackedStore.canStore`. */
  canStore(events: PackedEvents): Promise<boolean>
  /** Whether a transaction is open. */
  isOpen(): boolean
}

/** The tables that batches are written to, and their connection. */
export interface BatchTables extends PersonViews {
  readonly connection: DuckDBConnection
  readonly distinctIds: DistinctIds
  readonly eventTable: EventTable
  readonly deriveOriginId: DeriveOriginId
  /** How long a commit may wait for DuckDB's own thread (`runInBackground`). */
  readonly commitWaitMs: () => number
}

/** Creates the only writer of a connection. */
export const createBatchWriter = (tables: BatchTables): BatchWriter => {
  const { connection, distinctIds, personNames, propertyChanges, commitWaitMs } = tables
  let isOpen = false
  /** The ids of persons that were merged into others in the open transaction. */
  const mergedIds = new Set<string>()
  const endTransaction = (): void => {
    isOpen = false
    mergedIds.clear()
  }
  const rollBack = async (): Promise<void> => {
    endTransaction()
    distinctIds.onRollback()
    personNames.onRollback()
    propertyChanges.onRollback()
    await connection.run('ROLLBACK')
  }
  const commitTransaction = async (): Promise<void> => {
    endTransaction()
    try {
      await runInBackground(connection, 'COMMIT', commitWaitMs)
    } catch (error) {
      throw classifyError(error) === 'memory' ? new FailedCommitError(error) : error
    }
    distinctIds.onCommit()
    personNames.onCommit()
    propertyChanges.onCommit()
  }
  /** Runs `write` in the open transaction, and rolls back if it fails. */
  const inTransaction = async (write: () => Promise<void>): Promise<void> => {
    try {
      if (!isOpen) await connection.run('BEGIN TRANSACTION')
      isOpen = true
      await write()
    } catch (error) {
      await rollBack().catch(() => undefined)
      throw toUnstorableError(error)
    }
  }
  return {
    add: (batch) => inTransaction(() => writeBatch(tables, batch, mergedIds)),
    commit: ({ persons, progress }) =>
      inTransaction(async () => {
        await replacePersons(tables, persons, mergedIds)
        await writeProgress(connection, progress)
        await commitTransaction()
      }),
    async discard() {
      if (isOpen) await rollBack()
    },
    async canStore(events) {
      try {
        await inTransaction(async () => {
          await writeEvents(tables, events)
          await rollBack()
        })
        return true
      } catch (error) {
        if (error instanceof UnstorableError) return false
        throw error
      }
    },
    isOpen: () => isOpen,
  }
}

const toUnstorableError = (error: unknown): unknown => {
  if (error instanceof UnstorableError || error instanceof FailedCommitError) return error
  const reason = classifyError(error)
  return reason === null ? error : new UnstorableError(reason, error)
}

const writeEvents = async (
  { distinctIds, eventTable }: BatchTables,
  events: PackedEvents,
  personIds: ReadonlyMap<string, string> = new Map(),
): Promise<void> => {
  await distinctIds.add(events.distinctIds, personIds)
  await eventTable.append(events)
}

/** @param mergedIds gets the ids of merged persons of the batch. */
const writeBatch = async (tables: BatchTables, batch: PackedBatch, mergedIds: Set<string>): Promise<void> => {
  const { connection, distinctIds, deriveOriginId } = tables
  const { events, personIds, rejected, replacesAll, persons } = batch
  if (replacesAll) {
    for (const statement of DELETE_PERSONS) await connection.run(statement)
    await distinctIds.removePersons()
  }
  await writeEvents(tables, events, personIds)
  for (const [distinctId, personId] of personIds) {
    const originId = deriveOriginId(distinctId)
    if (originId !== personId) mergedIds.add(originId)
  }
  if (persons !== null) await replacePersons(tables, persons, mergedIds)
  for (const row of rejected) {
    const receivedAt = timestampTZValue(BigInt(row.receivedAt) * 1000n)
    await connection.run('INSERT INTO internal.rejected VALUES ($1, $2, $3, $4, $5)', [
      row.inboxRow,
      receivedAt,
      row.reason,
      row.form,
      blobValue(row.body),
    ])
  }
}

/** @param mergedIds of persons to delete; empty afterwards. */
const replacePersons = async (
  { connection, personNames, propertyChanges }: BatchTables,
  { persons, haveNames, groups, personChanges, groupChanges, keepProperties }: PackedPersons,
  mergedIds: Set<string>,
): Promise<void> => {
  const haveChanges = keepProperties || propertyChanges.areUsed()
  if (haveChanges) for (const statement of PROPERTY_CHANGES_STAGING) await connection.run(statement)
  if (persons.length > 0 || mergedIds.size > 0) {
    await appendRows(connection, { ...STAGING_SCHEMA, table: 'staged_uuid' }, UUID_COLUMNS, [...mergedIds])
    await stageAndRun(connection, 'staged_person', persons, async () => {
      for (const statement of REPLACE_PERSONS) await connection.run(statement)
      if (haveNames || personNames.areUsed()) await personNames.write()
      if (keepProperties) await connection.run(UPDATE_PERSONS)
      if (haveChanges)
        await stageAndRun(connection, 'staged_person_change', personChanges, propertyChanges.writePersons)
    })
    await connection.run('TRUNCATE temp.staged_uuid')
    mergedIds.clear()
  }
  if (groups.length > 0)
    await stageAndRun(connection, 'staged_group', groups, async () => {
      for (const statement of REPLACE_GROUPS) await connection.run(statement)
      if (keepProperties) await connection.run(UPDATE_GROUPS)
      if (haveChanges) await stageAndRun(connection, 'staged_group_change', groupChanges, propertyChanges.writeGroups)
    })
}

const writeProgress = async (connection: DuckDBConnection, { position, revision }: StoreProgress): Promise<void> => {
  const { inbox_row, events } = toStoredPosition(position)
  for (const number of [inbox_row, events ?? 0, revision]) {
    if (!Number.isSafeInteger(number)) throw new RangeError(`${number} is no position of the inbox or of persons`)
  }
  // Written into the statement: to prepare it would take a third of its time, once for each of many small projects.
  await connection.run(
    `UPDATE internal.progress SET inbox_row = ${inbox_row}, events = ${events}, person_revision = ${revision}`,
  )
}

/** DuckDB's messages begin with the kind of the error. Null for kinds that the batch does not cause, such as IO and FATAL. */
const classifyError = (error: unknown): 'content' | 'memory' | null => {
  const message = error instanceof Error ? error.message : ''
  // Not because of this batch, whose commit may have succeeded.
  if (isInvalidated(error)) return null
  if (/Failed to (append|commit)/.test(message)) {
    if (/could not allocate|failed to (pin|allocate)|out of memory/i.test(message)) return 'memory'
    if (/constraint/i.test(message)) return 'content'
  }
  const kind = /^([A-Za-z ]+) Error: /.exec(message)?.[1]
  if (kind === 'Out of Memory') return 'memory'
  return kind !== undefined && CONTENT_ERRORS.has(kind) ? 'content' : null
}

const CONTENT_ERRORS = new Set(['Conversion', 'Invalid Input', 'Out of Range', 'Constraint', 'Invalid type'])

/** Stages rows, runs what reads them, and empties the staging table. */
const stageAndRun = async (
  connection: DuckDBConnection,
  table: string,
  rows: readonly PackedRows[],
  run: () => Promise<void>,
): Promise<void> => {
  await appendPackedRows(connection, { ...STAGING_SCHEMA, table }, rows)
  await run()
  await connection.run(`TRUNCATE temp.${table}`)
}

/** Where the staging tables are. */
const STAGING_SCHEMA = { catalog: 'temp', schema: 'main' }

const UUID_COLUMNS: readonly Column<string>[] = [{ type: 'UUID', values: (uuids) => uuids }]
