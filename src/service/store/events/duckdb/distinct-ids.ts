import type { DuckDBConnection, DuckDBDataChunk } from '@duckdb/node-api'
import duckdb from '@duckdb/node-bindings'
import { createIdKeys } from '../../id-keys.ts'
import { createIdTable, MAX_VALUE } from '../../id-table.ts'
import { toWellFormed } from '../to-well-formed-json.ts'
import type { Column } from './rows/column.ts'
import { appendRows } from './rows/append-rows.ts'
import { packUuids, UUID_WORDS } from './rows/uuid-words.ts'
import { streamChunks } from './stream-chunks.ts'

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
  /** The number of ids that are committed. */
  count(): number
  /** The origin ids that are committed, by number; undefined if they are not known, or more than `MAX_KEPT_IDS`. */
  origins(): Uint32Array | undefined
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

/** Maximum number of ids in each of the two generations in memory, which then takes 16 MB. */
const MAX_GENERATION_IDS = 786_432

/** Ids up to which the next opening of the file gets them, so that it need not read them. They take 4 KB of memory. */
const MAX_KEPT_IDS = 256

/** The value in `IdTable` of an id whose number was rolled back. */
const ROLLED_BACK = MAX_VALUE

export interface DistinctIdsOptions {
  readonly deriveOriginId: DeriveOriginId
  /** The number of ids that the table has. */
  readonly idCount: number
  /** Their origin ids, as `DistinctIds.origins` gave them; undefined if the table must be read. */
  readonly origins?: Uint32Array | undefined
  /** Half the number of ids that are kept in memory. Each batch with others scans the table once. Default: 786,432. */
  readonly maxGenerationIds?: number | undefined
}

export const openDistinctIds = (
  connection: DuckDBConnection,
  { deriveOriginId, idCount, maxGenerationIds = MAX_GENERATION_IDS, ...options }: DistinctIdsOptions,
): DistinctIds => {
  let committedCount = idCount
  let origins = options.origins ?? (idCount === 0 ? new Uint32Array() : undefined)
  let count = committedCount
  const keys = createIdKeys()
  /** Numbers by origin id. */
  const numbers = createIdTable(maxGenerationIds)
  /** Whether `numbers` has the ids that the table had before the first batch; null before it. */
  let isLoaded: boolean | null = null
  /** The origin ids that the open transaction added. */
  let addedOrigins: Uint32Array[] = []
  /** By the distinct id as the table has it: those of the last batch. */
  let batchNumbers = new Map<string, number>()
  const columns = stagedColumns(deriveOriginId)

  const stage = (rows: readonly StagedId[]): Promise<void> => appendRows(connection, STAGED, columns, rows)
  const unstage = (): Promise<unknown> => connection.run('TRUNCATE temp.staged_distinct_id')

  /** Reads the numbers of all ids, so that a batch with new ones needs no scan of the table. A million take 0.1 s. */
  const load = async (): Promise<void> => {
    if (origins !== undefined) {
      for (let number = 0; number < count; number++) numbers.set(keys.ofUuid(origins, number * UUID_WORDS), number)
      isLoaded = true
      return
    }
    const canLoad = count <= maxGenerationIds * 2
    if (canLoad) {
      const kept = count <= MAX_KEPT_IDS ? new Uint32Array(count * UUID_WORDS) : undefined
      for await (const chunk of await readIds(connection, count)) {
        const words = readWords(chunk, 0, UUID_WORDS)
        const chunkNumbers = readWords(chunk, 1, 1)
        for (let row = 0; row < chunk.rowCount; row++) {
          const [start, number] = [row * UUID_WORDS, chunkNumbers[row]!]
          numbers.set(keys.ofUuid(words, start), number)
          kept?.set(words.subarray(start, start + UUID_WORDS), number * UUID_WORDS)
        }
      }
      origins = kept
    }
    isLoaded = canLoad
  }

  /** The numbers of stored ids by place in `distinctIds`. */
  const findStored = async (distinctIds: readonly string[]): Promise<ReadonlyMap<number, number>> => {
    const mayBeStored = count > 0 && (isLoaded !== true || numbers.hasForgotten())
    if (distinctIds.length === 0 || !mayBeStored) return new Map()
    await stage(distinctIds.map((distinctId, number) => ({ number, distinctId, personId: null })))
    const found = await connection.runAndReadAll(
      `SELECT staged.number, stored.number
        FROM internal.distinct_ids AS stored JOIN temp.staged_distinct_id AS staged USING (origin_id)`,
    )
    await unstage()
    return new Map(found.getRows().map(([place, number]) => [Number(place), Number(number)]))
  }

  /** Finds or assigns the numbers of distinct ids. Returns the ids that are new. */
  const assign = async (distinctIds: readonly string[]): Promise<string[]> => {
    const packed = packUuids(distinctIds.map(deriveOriginId))
    const unknownPlaces: number[] = []
    batchNumbers = new Map()
    for (const [place, distinctId] of distinctIds.entries()) {
      const number = numbers.get(keys.ofUuid(packed, place * UUID_WORDS))
      if (number === undefined || number === ROLLED_BACK) unknownPlaces.push(place)
      else batchNumbers.set(distinctId, number)
    }
    const stored = await findStored(unknownPlaces.map((place) => distinctIds[place]!))
    const added: string[] = []
    for (const [index, place] of unknownPlaces.entries()) {
      const distinctId = distinctIds[place]!
      const storedNumber = stored.get(index)
      const number = storedNumber ?? count
      numbers.set(keys.ofUuid(packed, place * UUID_WORDS), number)
      batchNumbers.set(distinctId, number)
      if (storedNumber !== undefined) continue
      count += 1
      added.push(distinctId)
      addedOrigins.push(packed.slice(place * UUID_WORDS, (place + 1) * UUID_WORDS))
    }
    return added
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

  return {
    async add(distinctIds, persons) {
      if (isLoaded === null) await load()
      const personIds = new Map(Array.from(persons, ([distinctId, personId]) => [toWellFormed(distinctId), personId]))
      const added = await assign([...new Set([...Array.from(distinctIds, toWellFormed), ...personIds.keys()])])
      const toStaged = (distinctId: string): StagedId => ({
        number: batchNumbers.get(distinctId)!,
        distinctId,
        personId: personIds.get(distinctId) ?? null,
      })
      await appendRows(connection, { schema: 'internal', table: 'distinct_ids' }, columns, added.map(toStaged))
      for (const distinctId of added) personIds.delete(distinctId)
      await update(Array.from(personIds.keys(), toStaged))
    },
    count: () => committedCount,
    origins: () => origins,
    numberOf(distinctId) {
      const number = batchNumbers.get(distinctId) ?? batchNumbers.get(toWellFormed(distinctId))
      if (number === undefined) throw new Error(`The distinct id ${JSON.stringify(distinctId)} was not added.`)
      return number
    },
    async removePersons() {
      await connection.run('UPDATE internal.distinct_ids SET person_id = NULL WHERE person_id IS NOT NULL')
    },
    onCommit() {
      committedCount = count
      if (count > MAX_KEPT_IDS) origins = undefined
      else origins &&= Uint32Array.from([origins, ...addedOrigins].flatMap((words) => Array.from(words)))
      addedOrigins = []
    },
    onRollback() {
      for (const origin of addedOrigins) numbers.set(keys.ofUuid(origin, 0), ROLLED_BACK)
      addedOrigins = []
      count = committedCount
    },
  }
}

/** Ids up to which they are read at once: a stream, which must also be asked whether it broke off, takes a millisecond more. */
const MAX_READ_AT_ONCE = 16_384

const readIds = async (
  connection: DuckDBConnection,
  count: number,
): Promise<Iterable<DuckDBDataChunk> | AsyncIterable<DuckDBDataChunk>> => {
  const sql = 'SELECT origin_id, number FROM internal.distinct_ids'
  if (count <= MAX_READ_AT_ONCE) return (await connection.run(sql)).fetchAllChunks()
  return streamChunks(connection, await connection.stream(sql))
}

/** The values of a column without nulls, as words of 32 bits. */
const readWords = ({ chunk, rowCount }: DuckDBDataChunk, column: number, wordsPerRow: number): Uint32Array => {
  const bytes = duckdb.vector_get_data(duckdb.data_chunk_get_vector(chunk, column), rowCount * wordsPerRow * 4)
  return new Uint32Array(bytes.buffer, bytes.byteOffset, rowCount * wordsPerRow)
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
