import type { DuckDBConnection } from '@duckdb/node-api'
import { BOOLEAN, DOUBLE, VARCHAR, blobValue, timestampTZValue } from '@duckdb/node-api'
import type { Group, Person } from '../../../persons/person.ts'
import type { EventBatch, StoredEvent } from '../event-store.ts'
import type { StagedColumn } from './stage.ts'
import { UnstorableError } from '../event-store.ts'
import { storedPosition } from '../../row-position.ts'
import { jsonText } from '../json-text.ts'
import { FORGET_PERSONS, INSERT_EVENTS, REPLACE_DISTINCT_IDS, REPLACE_GROUPS, REPLACE_PERSONS } from './schema.ts'
import { stage } from './stage.ts'

/** Gives the `personId` of a distinct id. */
export type OriginOf = (distinctId: string) => string

/** Events that wait in memory at once: one request may bring more than memory would hold as rows. */
const STAGED_EVENTS = 10_240

/** Writes a batch and its position in one transaction. */
export const commitBatch = async (writer: DuckDBConnection, batch: EventBatch, originOf: OriginOf): Promise<void> => {
  await inTransaction(writer, 'COMMIT', () => writeBatch(writer, batch, originOf))
}

/** Implements `EventStore.holds`. */
export const holdsEvents = async (
  writer: DuckDBConnection,
  events: readonly StoredEvent[],
  originOf: OriginOf,
): Promise<boolean> => {
  try {
    await inTransaction(writer, 'ROLLBACK', () => writeEvents(writer, events, originOf))
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
    const reason = faultOf(error)
    throw reason === null ? error : new UnstorableError(reason, error)
  }
}

const writeEvents = async (
  writer: DuckDBConnection,
  events: readonly StoredEvent[],
  originOf: OriginOf,
): Promise<void> => {
  for (let from = 0; from < events.length; from += STAGED_EVENTS) {
    const slice = events.slice(from, from + STAGED_EVENTS)
    await move(writer, 'staged_event', eventColumns(originOf), slice, [INSERT_EVENTS])
  }
}

const writeBatch = async (writer: DuckDBConnection, batch: EventBatch, originOf: OriginOf): Promise<void> => {
  await writeEvents(writer, batch.events, originOf)
  const { persons, distinctIds, groups, revision = null, isWhole = false } = batch.persons
  if (isWhole) for (const statement of FORGET_PERSONS) await writer.run(statement)
  // Persons go by ids that both staging tables name, so both are filled before either is used.
  if (persons.length > 0 || distinctIds.size > 0) {
    await stage(writer, 'staged_person', PERSON_COLUMNS, persons)
    await move(
      writer,
      'staged_distinct_id',
      distinctIdColumns(originOf),
      [...distinctIds],
      [...REPLACE_PERSONS, ...REPLACE_DISTINCT_IDS],
    )
    await writer.run('TRUNCATE temp.staged_person')
  }
  if (groups.length > 0) await move(writer, 'staged_group', GROUP_COLUMNS, groups, REPLACE_GROUPS)
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
  const { inbox_row, events } = storedPosition(batch.position)
  await writer.run(
    'UPDATE internal.progress SET inbox_row = $1, events = $2, person_revision = coalesce($3, person_revision)',
    [inbox_row, events, revision],
  )
}

/** DuckDB's errors begin with their kind; the others (IO, FATAL) are not the batch's fault. */
const faultOf = (error: unknown): 'content' | 'memory' | null => {
  const kind = error instanceof Error ? /^([A-Za-z ]+) Error: /.exec(error.message)?.[1] : undefined
  if (kind === 'Out of Memory') return 'memory'
  return kind !== undefined && CONTENT_FAULTS.has(kind) ? 'content' : null
}

const CONTENT_FAULTS = new Set(['Conversion', 'Invalid Input', 'Out of Range', 'Constraint', 'Invalid type'])

const move = async <Row>(
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

const eventColumns = (originOf: OriginOf): StagedColumn<StoredEvent>[] => [
  { type: VARCHAR, value: (event) => event.uuid },
  { type: VARCHAR, value: (event) => event.event },
  { type: VARCHAR, value: (event) => event.distinctId },
  { type: VARCHAR, value: (event) => originOf(event.distinctId) },
  { type: DOUBLE, value: (event) => event.timestamp },
  { type: DOUBLE, value: (event) => event.receivedAt },
  { type: VARCHAR, value: (event) => event.properties },
  { type: BOOLEAN, value: (event) => event.isHistorical },
]

const distinctIdColumns = (originOf: OriginOf): StagedColumn<[string, string]>[] => [
  { type: VARCHAR, value: ([distinctId]) => distinctId },
  { type: VARCHAR, value: ([distinctId]) => originOf(distinctId) },
  { type: VARCHAR, value: ([, person]) => person },
]

const PERSON_COLUMNS: readonly StagedColumn<Person>[] = [
  { type: VARCHAR, value: (person) => person.id },
  { type: VARCHAR, value: (person) => jsonText(person.properties) },
  { type: DOUBLE, value: (person) => person.createdAt },
  { type: BOOLEAN, value: (person) => person.isIdentified },
]

const GROUP_COLUMNS: readonly StagedColumn<Group>[] = [
  { type: VARCHAR, value: (group) => group.type },
  { type: VARCHAR, value: (group) => group.key },
  { type: VARCHAR, value: (group) => jsonText(group.properties) },
  { type: DOUBLE, value: (group) => group.createdAt },
]
