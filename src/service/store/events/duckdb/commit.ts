import type { DuckDBConnection } from '@duckdb/node-api'
import { blobValue, timestampTZValue } from '@duckdb/node-api'
import type { Group, Person } from '../../../persons/person.ts'
import type { EventBatch, StoredEvent } from '../event-store.ts'
import type { Column } from './append-rows.ts'
import { UnstorableError } from '../event-store.ts'
import { toStoredPosition } from '../../row-position.ts'
import { toWellFormedJson } from '../to-well-formed-json.ts'
import { appendRows } from './append-rows.ts'
import type { DeriveOriginId, DistinctIds } from './distinct-ids.ts'
import type { EventTable } from './event-table/event-table.ts'
import { DELETE_PERSONS, REPLACE_GROUPS, REPLACE_PERSONS } from './schema.ts'

/** The transactions of one connection. */
export interface BatchWriter {
  /** Writes a batch and its position into the open transaction; begins one if there is none. Rolls back if that fails. */
  add(batch: EventBatch): Promise<void>
  /** Commits the open transaction; rolls back if that fails. */
  commit(): Promise<void>
  /** Rolls back the open transaction, if there is one. */
  discard(): Promise<void>
  /** Implements `EventStore.canStore`. */
  canStore(events: readonly StoredEvent[]): Promise<boolean>
  /** Whether a transaction is open. */
  isOpen(): boolean
}

/** The tables that batches are written to, and their connection. */
export interface BatchTables {
  readonly connection: DuckDBConnection
  readonly distinctIds: DistinctIds
  readonly eventTable: EventTable
  readonly deriveOriginId: DeriveOriginId
}

/** Creates the only writer of a connection. */
export const createBatchWriter = (tables: BatchTables): BatchWriter => {
  const { connection, distinctIds } = tables
  let isOpen = false
  const end = async (statement: 'COMMIT' | 'ROLLBACK'): Promise<void> => {
    isOpen = false
    if (statement === 'ROLLBACK') distinctIds.onRollback()
    await connection.run(statement)
    if (statement === 'COMMIT') distinctIds.onCommit()
  }
  /** Runs `write` in the open transaction, and rolls back if it fails. */
  const inTransaction = async (write: () => Promise<void>): Promise<void> => {
    try {
      if (!isOpen) await connection.run('BEGIN TRANSACTION')
      isOpen = true
      await write()
    } catch (error) {
      await end('ROLLBACK').catch(() => undefined)
      throw toUnstorableError(error)
    }
  }
  return {
    add: (batch) => inTransaction(() => writeBatch(tables, batch)),
    commit: () => inTransaction(() => end('COMMIT')),
    async discard() {
      if (isOpen) await end('ROLLBACK')
    },
    async canStore(events) {
      try {
        await inTransaction(async () => {
          await writeEvents(tables, events)
          await end('ROLLBACK')
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
  if (error instanceof UnstorableError) return error
  const reason = classifyError(error)
  return reason === null ? error : new UnstorableError(reason, error)
}

const writeEvents = async (
  { distinctIds, eventTable }: BatchTables,
  events: readonly StoredEvent[],
  persons: ReadonlyMap<string, string> = new Map(),
): Promise<void> => {
  await distinctIds.add(new Set(events.map(({ distinctId }) => distinctId)), persons)
  if (events.length > 0) await eventTable.append(events)
}

const writeBatch = async (tables: BatchTables, batch: EventBatch): Promise<void> => {
  const { connection: writer, distinctIds, deriveOriginId } = tables
  const { persons, distinctIds: personIds, groups, revision = null, replacesAll = false } = batch.persons
  if (replacesAll) {
    for (const statement of DELETE_PERSONS) await writer.run(statement)
    await distinctIds.removePersons()
  }
  await writeEvents(tables, batch.events, personIds)
  const mergedIds = [...personIds].flatMap(([distinctId, personId]) => {
    const originId = deriveOriginId(distinctId)
    return originId === personId ? [] : [originId]
  })
  if (persons.length > 0 || mergedIds.length > 0) {
    await appendRows(writer, { ...STAGING_SCHEMA, table: 'staged_uuid' }, UUID_COLUMNS, mergedIds)
    await stageAndRun(writer, 'staged_person', PERSON_COLUMNS, persons, REPLACE_PERSONS)
    await writer.run('TRUNCATE temp.staged_uuid')
  }
  if (groups.length > 0) await stageAndRun(writer, 'staged_group', GROUP_COLUMNS, groups, REPLACE_GROUPS)
  for (const row of batch.rejected) {
    const receivedAt = timestampTZValue(BigInt(row.receivedAt) * 1000n)
    await writer.run('INSERT INTO internal.rejected VALUES ($1, $2, $3, $4, $5)', [
      row.inboxRow,
      receivedAt,
      row.reason,
      row.form,
      blobValue(row.body),
    ])
  }
  const { inbox_row, events } = toStoredPosition(batch.position)
  await writer.run(
    'UPDATE internal.progress SET inbox_row = $1, events = $2, person_revision = coalesce($3, person_revision)',
    [inbox_row, events, revision],
  )
}

/** DuckDB's messages begin with the kind of the error. Null for kinds that the batch does not cause, such as IO and FATAL. */
const classifyError = (error: unknown): 'content' | 'memory' | null => {
  // A value that is nested too deeply for `JSON.stringify`.
  if (error instanceof RangeError) return 'content'
  const message = error instanceof Error ? error.message : ''
  if (/Failed to (append|commit)/.test(message)) {
    if (/could not allocate|failed to (pin|allocate)|out of memory/i.test(message)) return 'memory'
    if (/constraint/i.test(message)) return 'content'
  }
  const kind = /^([A-Za-z ]+) Error: /.exec(message)?.[1]
  if (kind === 'Out of Memory') return 'memory'
  return kind !== undefined && CONTENT_ERRORS.has(kind) ? 'content' : null
}

const CONTENT_ERRORS = new Set(['Conversion', 'Invalid Input', 'Out of Range', 'Constraint', 'Invalid type'])

/** Stages rows, runs the statements that read them, and empties the staging table. */
const stageAndRun = async <Row>(
  writer: DuckDBConnection,
  table: string,
  columns: readonly Column<Row>[],
  rows: readonly Row[],
  statements: readonly string[],
): Promise<void> => {
  await appendRows(writer, { ...STAGING_SCHEMA, table }, columns, rows)
  for (const statement of statements) await writer.run(statement)
  await writer.run(`TRUNCATE temp.${table}`)
}

/** Where the staging tables are. */
const STAGING_SCHEMA = { catalog: 'temp', schema: 'main' }

const UUID_COLUMNS: readonly Column<string>[] = [{ type: 'UUID', values: (uuids) => uuids }]

const PERSON_COLUMNS: readonly Column<Person>[] = [
  { type: 'UUID', values: (persons) => persons.map((person) => person.id) },
  {
    type: 'VARCHAR',
    values: (persons) => persons.map((person) => toWellFormedJson(person.properties)),
  },
  { type: 'TIMESTAMPTZ', values: (persons) => persons.map((person) => person.createdAt) },
  { type: 'BOOLEAN', values: (persons) => persons.map((person) => person.isIdentified) },
]

const GROUP_COLUMNS: readonly Column<Group>[] = [
  { type: 'VARCHAR', values: (groups) => groups.map((group) => group.type) },
  { type: 'VARCHAR', values: (groups) => groups.map((group) => group.key) },
  {
    type: 'VARCHAR',
    values: (groups) => groups.map((group) => toWellFormedJson(group.properties)),
  },
  { type: 'TIMESTAMPTZ', values: (groups) => groups.map((group) => group.createdAt) },
]
