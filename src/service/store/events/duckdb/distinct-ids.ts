import type { DuckDBConnection } from '@duckdb/node-api'
import type { Column } from './rows/column.ts'
import { toWellFormed } from '../to-well-formed-json.ts'
import { appendRows } from './rows/append-rows.ts'

/** Derives the origin id of a distinct id: the id of the person that is created for it alone (`derivePersonId`). */
export type DeriveOriginId = (distinctId: string) => string

/**
 * The distinct ids of a project with their persons, numbered from 0. An event has only the number of its distinct id: a few bits,
 * where the text and a person's id would take dozens of bytes.
 */
export interface DistinctIds {
  /**
   * Writes distinct ids that have no number yet into the open transaction, and the persons of distinct ids.
   *
   * @param persons Distinct id to person id. A distinct id that is not in it keeps its person.
   */
  add(distinctIds: Iterable<string>, persons: ReadonlyMap<string, string>): Promise<void>
  /** The number of a distinct id that was in the last call of `add`. */
  numberOf(distinctId: string): number
  /** Takes the persons from all distinct ids. */
  removePersons(): Promise<void>
  /** Call it after the transaction was committed. */
  onCommit(): void
  /** Call it after the transaction was rolled back. */
  onRollback(): void
}

export const DISTINCT_IDS_TABLE = `CREATE TABLE IF NOT EXISTS internal.distinct_ids (
  number INTEGER NOT NULL, distinct_id VARCHAR NOT NULL, origin_id UUID NOT NULL, person_id UUID)`

export const DISTINCT_IDS_STAGING =
  'CREATE TEMP TABLE staged_distinct_id (number INTEGER, distinct_id VARCHAR, origin_id UUID, person_id UUID)'

/** Distinct ids that are kept in memory, some 200 bytes each. Each batch with others scans the table once. */
const MAX_CACHED = 50_000

interface KnownId {
  readonly number: number
  readonly personId: string | null
}

export const openDistinctIds = async (
  connection: DuckDBConnection,
  deriveOriginId: DeriveOriginId,
): Promise<DistinctIds> => {
  const reader = await connection.runAndReadAll('SELECT count(*) FROM internal.distinct_ids')
  let committedCount = Number(reader.getRows()[0]?.[0])
  let count = committedCount
  // By the distinct id as the table has it, in the order of last use.
  const knownIds = new Map<string, KnownId>()
  const columns = stagedColumns(deriveOriginId)

  const stage = (rows: readonly StagedId[]): Promise<void> => appendRows(connection, STAGED, columns, rows)
  const unstage = (): Promise<unknown> => connection.run('TRUNCATE temp.staged_distinct_id')

  const find = async (distinctIds: readonly string[]): Promise<void> => {
    if (distinctIds.length === 0 || count === 0) return
    await stage(distinctIds.map((distinctId, number) => ({ number, distinctId, personId: null })))
    const found = await connection.runAndReadAll(
      `SELECT staged.number, stored.number, stored.person_id::VARCHAR
        FROM internal.distinct_ids AS stored JOIN temp.staged_distinct_id AS staged USING (origin_id)`,
    )
    await unstage()
    for (const [index, number, personId = null] of found.getRows()) {
      knownIds.set(distinctIds[Number(index)]!, {
        number: Number(number),
        personId: personId === null ? null : String(personId),
      })
    }
  }

  const update = async (rows: readonly StagedId[]): Promise<void> => {
    if (rows.length === 0) return
    await stage(rows)
    await connection.run(
      `UPDATE internal.distinct_ids SET person_id = staged.person_id
        FROM temp.staged_distinct_id AS staged WHERE distinct_ids.number = staged.number`,
    )
    await unstage()
  }

  const evict = (usedCount: number): void => {
    const maxSize = Math.max(MAX_CACHED, usedCount)
    for (const distinctId of knownIds.keys()) {
      if (knownIds.size <= maxSize) return
      knownIds.delete(distinctId)
    }
  }

  return {
    async add(distinctIds, persons) {
      const personIds = new Map(Array.from(persons, ([distinctId, personId]) => [toWellFormed(distinctId), personId]))
      const used = [...new Set([...Array.from(distinctIds, toWellFormed), ...personIds.keys()])]
      await find(used.filter((distinctId) => !knownIds.has(distinctId)))
      const added: StagedId[] = []
      const changed: StagedId[] = []
      for (const distinctId of used) {
        const known = knownIds.get(distinctId)
        const number = known?.number ?? count
        const personId = personIds.get(distinctId) ?? known?.personId ?? null
        if (known === undefined) {
          added.push({ number, distinctId, personId })
          count += 1
        } else {
          if (known.personId !== personId) changed.push({ number, distinctId, personId })
          knownIds.delete(distinctId)
        }
        knownIds.set(distinctId, { number, personId })
      }
      await appendRows(connection, { schema: 'internal', table: 'distinct_ids' }, columns, added)
      await update(changed)
      evict(used.length)
    },
    numberOf(distinctId) {
      const known = knownIds.get(distinctId) ?? knownIds.get(toWellFormed(distinctId))
      if (known === undefined) throw new Error(`The distinct id ${JSON.stringify(distinctId)} was not added.`)
      return known.number
    },
    async removePersons() {
      knownIds.clear()
      await connection.run('UPDATE internal.distinct_ids SET person_id = NULL WHERE person_id IS NOT NULL')
    },
    onCommit() {
      committedCount = count
    },
    onRollback() {
      knownIds.clear()
      count = committedCount
    },
  }
}

interface StagedId {
  readonly number: number
  readonly distinctId: string
  readonly personId: string | null
}

const STAGED = { catalog: 'temp', schema: 'main', table: 'staged_distinct_id' }

const stagedColumns = (deriveOriginId: DeriveOriginId): readonly Column<StagedId>[] => [
  { type: 'INTEGER', values: (rows) => rows.map(({ number }) => number) },
  { type: 'VARCHAR', values: (rows) => rows.map(({ distinctId }) => distinctId) },
  { type: 'UUID', values: (rows) => rows.map(({ distinctId }) => deriveOriginId(distinctId)) },
  { type: 'UUID', values: (rows) => rows.map(({ personId }) => personId) },
]
