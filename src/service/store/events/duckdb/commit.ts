import type { DuckDBConnection } from '@duckdb/node-api'
import { BOOLEAN, DOUBLE, VARCHAR, blobValue, timestampTZValue } from '@duckdb/node-api'
import type { Group, Person } from '../../../persons/person.ts'
import type { EventBatch, StoredEvent } from '../event-store.ts'
import type { StagedColumn } from './stage.ts'
import { UnstorableError } from '../event-store.ts'
import { toStoredPosition } from '../../row-position.ts'
import { toWellFormedJson } from '../to-well-formed-json.ts'
import { DELETE_PERSONS, INSERT_EVENTS, REPLACE_DISTINCT_IDS, REPLACE_GROUPS, REPLACE_PERSONS } from './schema.ts'
import { stage } from './stage.ts'

/** Derives the origin id of a distinct id: the id of the person that is created for it alone (`derivePersonId`). */
export type DeriveOriginId = (distinctId: string) => string

/** Maximum number of events staged at once: one request may have more events than fit into memory as rows. */
const MAX_STAGED_EVENTS = 10_240

/** Writes a batch and its position in one transaction. */
export const commitBatch = async (
  writer: DuckDBConnection,
  batch: EventBatch,
  deriveOriginId: DeriveOriginId,
): Promise<void> => {
  await inTransaction(writer, 'COMMIT', () => writeBatch(writer, batch, deriveOriginId))
}

/** Implements `EventStore.canStore`. */
export const canStoreEvents = async (
  writer: DuckDBConnection,
  events: readonly StoredEvent[],
  deriveOriginId: DeriveOriginId,
): Promise<boolean> => {
  try {
    await inTransaction(writer, 'ROLLBACK', () => writeEvents(writer, events, deriveOriginId))
    return true
  } catch (error) {
    if (error instanceof UnstorableError) return false
    throw error
  }
}

const inTransaction = async (
  writer: DuckDBConnection,
  end: 'COMMIT' | 'ROLLBACK',
  write: () => Promise<void>,
): Promise<void> => {
  await writer.run('BEGIN TRANSACTION')
  try {
    await write()
    await writer.run(end)
  } catch (error) {
    await writer.run('ROLLBACK').catch(() => undefined)
    const reason = classifyError(error)
    throw reason === null ? error : new UnstorableError(reason, error)
  }
}

const writeEvents = async (
  writer: DuckDBConnection,
  events: readonly StoredEvent[],
  deriveOriginId: DeriveOriginId,
): Promise<void> => {
  for (let start = 0; start < events.length; start += MAX_STAGED_EVENTS) {
    const chunk = events.slice(start, start + MAX_STAGED_EVENTS)
    await stageAndRun(writer, 'staged_event', eventColumns(deriveOriginId), chunk, [INSERT_EVENTS])
  }
}

const writeBatch = async (
  writer: DuckDBConnection,
  batch: EventBatch,
  deriveOriginId: DeriveOriginId,
): Promise<void> => {
  await writeEvents(writer, batch.events, deriveOriginId)
  const { persons, distinctIds, groups, revision = null, replacesAll = false } = batch.persons
  if (replacesAll) for (const statement of DELETE_PERSONS) await writer.run(statement)
  // The statements for persons use the ids of both staging tables, so both are filled first.
  if (persons.length > 0 || distinctIds.size > 0) {
    await stage(writer, 'staged_person', PERSON_COLUMNS, persons)
    await stageAndRun(
      writer,
      'staged_distinct_id',
      distinctIdColumns(deriveOriginId),
      [...distinctIds],
      [...REPLACE_PERSONS, ...REPLACE_DISTINCT_IDS],
    )
    await writer.run('TRUNCATE temp.staged_person')
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
  const kind = error instanceof Error ? /^([A-Za-z ]+) Error: /.exec(error.message)?.[1] : undefined
  if (kind === 'Out of Memory') return 'memory'
  return kind !== undefined && CONTENT_ERRORS.has(kind) ? 'content' : null
}

const CONTENT_ERRORS = new Set(['Conversion', 'Invalid Input', 'Out of Range', 'Constraint', 'Invalid type'])

/** Stages rows, runs the statements that read them, and empties the staging table. */
const stageAndRun = async <Row>(
  writer: DuckDBConnection,
  table: string,
  columns: readonly StagedColumn<Row>[],
  rows: readonly Row[],
  statements: readonly string[],
): Promise<void> => {
  await stage(writer, table, columns, rows)
  for (const statement of statements) await writer.run(statement)
  await writer.run(`TRUNCATE temp.${table}`)
}

const eventColumns = (deriveOriginId: DeriveOriginId): StagedColumn<StoredEvent>[] => [
  { type: VARCHAR, value: (event) => event.uuid },
  { type: VARCHAR, value: (event) => event.event },
  { type: VARCHAR, value: (event) => event.distinctId },
  { type: VARCHAR, value: (event) => deriveOriginId(event.distinctId) },
  { type: DOUBLE, value: (event) => event.timestamp },
  { type: DOUBLE, value: (event) => event.receivedAt },
  { type: VARCHAR, value: (event) => event.properties },
  { type: BOOLEAN, value: (event) => event.isHistorical },
]

const distinctIdColumns = (deriveOriginId: DeriveOriginId): StagedColumn<[string, string]>[] => [
  { type: VARCHAR, value: ([distinctId]) => distinctId },
  { type: VARCHAR, value: ([distinctId]) => deriveOriginId(distinctId) },
  { type: VARCHAR, value: ([, personId]) => personId },
]

const PERSON_COLUMNS: readonly StagedColumn<Person>[] = [
  { type: VARCHAR, value: (person) => person.id },
  { type: VARCHAR, value: (person) => toWellFormedJson(person.properties) },
  { type: DOUBLE, value: (person) => person.createdAt },
  { type: BOOLEAN, value: (person) => person.isIdentified },
]

const GROUP_COLUMNS: readonly StagedColumn<Group>[] = [
  { type: VARCHAR, value: (group) => group.type },
  { type: VARCHAR, value: (group) => group.key },
  { type: VARCHAR, value: (group) => toWellFormedJson(group.properties) },
  { type: DOUBLE, value: (group) => group.createdAt },
]
