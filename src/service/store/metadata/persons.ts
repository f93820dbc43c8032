import type { CompiledQuery } from 'kysely'
import { sql } from 'kysely'
import type { JsonObject } from '../../../wire/json.ts'
import type { Person } from '../../persons/person.ts'
import type { PropertyWrite } from '../../persons/plan-write.ts'
import { compileOnce, executeWith, padIds } from './compile-once.ts'
import type { Metadata } from './open.ts'
import { splitIntoChunks } from './split-into-chunks.ts'
import type { RowKey } from './stored-changes.ts'
import { deleteChanges, foldChanges, PERSON_CHANGES, saveChanges, selectChanges, sortWrites } from './stored-changes.ts'

/** A distinct id with the id of its person and the size of the person's properties. */
export interface MappedPerson {
  readonly distinctId: string
  readonly personId: string
  /** Size of the person's properties, in bytes of JSON. */
  readonly bytes: number
}

/**
 * Finds the persons of distinct ids. The result omits ids without a person. It includes ids whose person was lost with a
 * damaged page, because they still say which ids belong together.
 */
export const findMappedPersons = async (
  metadata: Metadata,
  projectId: number,
  distinctIds: readonly string[],
): Promise<MappedPerson[]> => {
  const persons: MappedPerson[] = []
  for (const chunk of splitIntoChunks(distinctIds)) {
    for (const row of await selectByIds(metadata, compileMappedPersons, projectId, chunk))
      persons.push({ distinctId: row.distinct_id, personId: row.person_id, bytes: row.bytes })
  }
  return persons
}

const compileMappedPersons = compileOnce((metadata, size) =>
  metadata
    .selectFrom('person_distinct_ids as map')
    .leftJoin('persons as person', (join) =>
      join.onRef('person.project_id', '=', 'map.project_id').onRef('person.id', '=', 'map.person_id'),
    )
    // octet_length reads only the record header; the string itself may span hundreds of pages.
    .select(['map.distinct_id', 'map.person_id', sql<number>`coalesce(octet_length(person.properties), 0)`.as('bytes')])
    .where('map.project_id', '=', 0)
    .where('map.distinct_id', 'in', placeholders(size)),
)

/** The creation times of the persons of distinct ids. The result omits ids without a person. */
export const findCreationTimes = async (
  metadata: Metadata,
  projectId: number,
  distinctIds: readonly string[],
): Promise<{ readonly distinctId: string; readonly createdAt: number }[]> => {
  const times: { distinctId: string; createdAt: number }[] = []
  for (const chunk of splitIntoChunks(distinctIds)) {
    for (const row of await selectByIds(metadata, compileCreationTimes, projectId, chunk))
      times.push({ distinctId: row.distinct_id, createdAt: row.created_at })
  }
  return times
}

const compileCreationTimes = compileOnce((metadata, size) =>
  metadata
    .selectFrom('person_distinct_ids as map')
    .innerJoin('persons as person', (join) =>
      join.onRef('person.project_id', '=', 'map.project_id').onRef('person.id', '=', 'map.person_id'),
    )
    .select(['map.distinct_id', 'person.created_at'])
    .where('map.project_id', '=', 0)
    .where('map.distinct_id', 'in', placeholders(size)),
)

/** The size of persons' properties, in bytes of JSON; persons that do not exist are missing. */
export const readPersonSizes = async (
  metadata: Metadata,
  projectId: number,
  ids: readonly string[],
): Promise<{ readonly id: string; readonly bytes: number }[]> => {
  const sizes: { id: string; bytes: number }[] = []
  for (const chunk of splitIntoChunks(ids)) sizes.push(...(await selectByIds(metadata, compileSizes, projectId, chunk)))
  return sizes
}

const compileSizes = compileOnce((metadata, size) =>
  metadata
    .selectFrom('persons')
    .select(['id', sql<number>`octet_length(properties)`.as('bytes')])
    .where('project_id', '=', 0)
    .where('id', 'in', placeholders(size)),
)

/** Loads persons by id; persons that do not exist are missing. */
export const loadPersons = async (metadata: Metadata, projectId: number, ids: readonly string[]): Promise<Person[]> => {
  const persons: Person[] = []
  for (const chunk of splitIntoChunks(ids)) {
    for (const row of await selectByIds(metadata, compilePersons, projectId, chunk)) persons.push(fromRow(row))
  }
  return persons
}

/** What `fromRow` reads. */
const SELECTED_COLUMNS = [
  'id',
  'properties',
  'created_at',
  'is_identified',
  'public_id',
  selectChanges(PERSON_CHANGES).as('changes'),
] as const

const compilePersons = compileOnce((metadata, size) =>
  metadata
    .selectFrom('persons')
    .select(SELECTED_COLUMNS)
    .where('project_id', '=', 0)
    .where('id', 'in', placeholders(size)),
)

/** Finds a person by the id that the API shows (`publicIdOf`). */
export const findPersonByPublicId = async (
  metadata: Metadata,
  projectId: number,
  publicId: string,
): Promise<Person | undefined> => {
  const select = (column: 'id' | 'public_id') =>
    metadata
      .selectFrom('persons')
      .select(SELECTED_COLUMNS)
      .where('project_id', '=', projectId)
      .where(column, '=', publicId)
      .executeTakeFirst()
  // Nearly all have the same id.
  const row = await select('id')
  const found = row?.public_id === null ? row : await select('public_id')
  return found && fromRow(found)
}

/** The number of stored distinct ids of persons, counted up to a limit; persons that do not exist are missing. */
export const countDistinctIds = async (
  metadata: Metadata,
  projectId: number,
  personIds: readonly string[],
  limit: number,
): Promise<{ readonly id: string; readonly count: number }[]> => {
  const counts: { id: string; count: number }[] = []
  for (const chunk of splitIntoChunks(personIds)) {
    const padded = padIds(chunk)
    const query = compileCounts(metadata, padded.length)
    counts.push(...(await executeWith(metadata, query, [limit, projectId, ...padded])))
  }
  return counts
}

const compileCounts = compileOnce((metadata, size) =>
  metadata
    .selectFrom('persons')
    .select([
      'id',
      sql<number>`(select count(*) from (select 1 from person_distinct_ids as map
        where map.project_id = persons.project_id and map.person_id = persons.id limit ${0}) as counted)`.as('count'),
    ])
    .where('project_id', '=', 0)
    .where('id', 'in', placeholders(size)),
)

/** @param ids at least one, and at most one chunk (`splitIntoChunks`). */
const selectByIds = <Row>(
  metadata: Metadata,
  compile: (metadata: Metadata, size: number) => CompiledQuery<Row>,
  projectId: number,
  ids: readonly string[],
): Promise<Row[]> => {
  const padded = padIds(ids)
  return executeWith(metadata, compile(metadata, padded.length), [projectId, ...padded])
}

const placeholders = (size: number): string[] => Array<string>(size).fill('')

/** The fields of a person that flag requests need. */
export interface PersonProperties {
  /** See `publicIdOf`. */
  readonly id: string
  readonly properties: JsonObject
}

/** Maximum number of distinct ids in one call of `loadPersonProperties`, which bounds the number of cached queries. */
export const MAX_DISTINCT_IDS = 32

/**
 * Loads the persons of at most `MAX_DISTINCT_IDS` distinct ids, by distinct id; ids without a person are missing. One indexed
 * read with a cached query, so it is cheap to call often.
 */
export const loadPersonProperties = async (
  metadata: Metadata,
  projectId: number,
  distinctIds: readonly string[],
): Promise<Map<string, PersonProperties>> => {
  const query = compileProperties(metadata, distinctIds.length)
  const rows = await executeWith(metadata, query, [projectId, ...distinctIds])
  return new Map(
    rows.map((row): [string, PersonProperties] => [
      row.distinct_id,
      { id: row.public_id ?? row.id, properties: foldChanges(row.properties, row.changes).properties },
    ]),
  )
}

const compileProperties = compileOnce((metadata, size) =>
  metadata
    .selectFrom('person_distinct_ids as map')
    .innerJoin('persons as person', (join) =>
      join.onRef('person.project_id', '=', 'map.project_id').onRef('person.id', '=', 'map.person_id'),
    )
    .select([
      'map.distinct_id',
      'person.id',
      'person.public_id',
      'person.properties',
      selectChanges(PERSON_CHANGES, 'person').as('changes'),
    ])
    .where('map.project_id', '=', 0)
    .where('map.distinct_id', 'in', placeholders(size)),
)

/** All distinct ids of these persons, each with the id of its person. */
export const listDistinctIds = async (
  metadata: Metadata,
  projectId: number,
  personIds: readonly string[],
): Promise<[distinctId: string, personId: string][]> => {
  const pairs: [distinctId: string, personId: string][] = []
  for (const chunk of splitIntoChunks(personIds)) {
    const rows = await metadata
      .selectFrom('person_distinct_ids')
      .select(['distinct_id', 'person_id'])
      .where('project_id', '=', projectId)
      .where('person_id', 'in', chunk)
      .execute()
    for (const row of rows) pairs.push([row.distinct_id, row.person_id])
  }
  return pairs
}

/** Some distinct ids of a person: all, or as many as the limit. */
export const listSomeDistinctIds = async (
  metadata: Metadata,
  projectId: number,
  personId: string,
  limit: number,
): Promise<string[]> => {
  const rows = await metadata
    .selectFrom('person_distinct_ids')
    .select('distinct_id')
    .where('project_id', '=', projectId)
    .where('person_id', '=', personId)
    // Without an order: to sort those of a large person would keep the service from other requests.
    .limit(limit)
    .execute()
  return rows.map((row) => row.distinct_id)
}

/** The distinct ids of the person that `distinctId` belongs to, at most `limit`; empty without a person. Uses two indexed lookups. */
export const listDistinctIdsOfSamePerson = async (
  metadata: Metadata,
  projectId: number,
  distinctId: string,
  limit: number,
): Promise<string[]> => {
  const rows = await metadata
    .selectFrom('person_distinct_ids as own')
    .innerJoin('person_distinct_ids as other', (join) =>
      join.onRef('other.project_id', '=', 'own.project_id').onRef('other.person_id', '=', 'own.person_id'),
    )
    .select('other.distinct_id')
    .where('own.project_id', '=', projectId)
    .where('own.distinct_id', '=', distinctId)
    .limit(limit)
    .execute()
  return rows.map((row) => row.distinct_id)
}

/** The changes that `savePersons` writes. */
export interface PersonWrites {
  /** New or changed persons. */
  readonly persons: readonly Person[]
  /** How the properties of persons are written, by id. Default: `whole`. */
  readonly propertyWrites?: ReadonlyMap<string, PropertyWrite>
  /** Distinct ids that had no person before, each with its person id. */
  readonly newDistinctIds: readonly (readonly [distinctId: string, personId: string])[]
  /** Merges: the second person gets all distinct ids of the first, which is deleted. The second must not be merged, too. */
  readonly merges: readonly (readonly [removed: string, kept: string])[]
}

/** Writes changes to persons. Call it inside a transaction. */
export const savePersons = async (transaction: Metadata, projectId: number, writes: PersonWrites): Promise<void> => {
  for (const [removed, kept] of writes.merges) {
    await transaction
      .updateTable('person_distinct_ids')
      .set({ person_id: kept })
      .where('project_id', '=', projectId)
      .where('person_id', '=', removed)
      .execute()
    await transaction.deleteFrom('persons').where('project_id', '=', projectId).where('id', '=', removed).execute()
  }
  const { whole, folded, changed } = sortWrites(writes.persons, ({ id }) => writes.propertyWrites?.get(id))
  for (const chunk of splitIntoChunks(whole)) {
    const parameters = chunk.flatMap((person) => [
      projectId,
      person.id,
      JSON.stringify(person.properties),
      person.createdAt,
      person.isIdentified ? 1 : 0,
      person.publicId ?? null,
    ])
    await executeWith(transaction, compileSavePersons(transaction, chunk.length), parameters)
  }
  const keyOf = ({ id }: Person): RowKey => ({ project_id: projectId, id })
  for (const person of folded) await deleteChanges(transaction, PERSON_CHANGES, keyOf(person))
  await saveChanges(
    transaction,
    PERSON_CHANGES,
    changed.map(({ item, names }) => ({
      key: keyOf(item),
      columns: {
        created_at: item.createdAt,
        is_identified: item.isIdentified ? 1 : 0,
        public_id: item.publicId ?? null,
      },
      properties: item.properties,
      names,
    })),
  )
  for (const chunk of splitIntoChunks(writes.newDistinctIds)) {
    const parameters = chunk.flatMap(([distinctId, personId]) => [projectId, distinctId, personId])
    await executeWith(transaction, compileSaveDistinctIds(transaction, chunk.length), parameters)
  }
}

const compileSavePersons = compileOnce((transaction, size) =>
  transaction
    .insertInto('persons')
    .columns(['project_id', 'id', 'properties', 'created_at', 'is_identified', 'public_id'])
    .values(
      Array.from({ length: size }, () => ({
        project_id: 0,
        id: '',
        properties: '',
        created_at: 0,
        is_identified: 0,
        // Without a parameter in its place, the query would have none there.
        public_id: '',
      })),
    )
    .onConflict((conflict) =>
      conflict.columns(['project_id', 'id']).doUpdateSet((row) => ({
        properties: row.ref('excluded.properties'),
        created_at: row.ref('excluded.created_at'),
        is_identified: row.ref('excluded.is_identified'),
        public_id: row.ref('excluded.public_id'),
      })),
    ),
)

const compileSaveDistinctIds = compileOnce((transaction, size) =>
  transaction
    .insertInto('person_distinct_ids')
    .columns(['project_id', 'distinct_id', 'person_id'])
    .values(Array.from({ length: size }, () => ({ project_id: 0, distinct_id: '', person_id: '' })))
    // A damaged index can hide an existing row; updating it keeps the event from failing forever.
    .onConflict((conflict) =>
      conflict
        .columns(['project_id', 'distinct_id'])
        .doUpdateSet((row) => ({ person_id: row.ref('excluded.person_id') })),
    ),
)

interface PersonRow {
  readonly id: string
  readonly properties: string
  readonly created_at: number
  readonly is_identified: number
  readonly public_id: string | null
  readonly changes: string | null
}

const fromRow = (row: PersonRow): Person => ({
  id: row.id,
  ...foldChanges(row.properties, row.changes),
  createdAt: row.created_at,
  isIdentified: row.is_identified === 1,
  ...(row.public_id !== null && { publicId: row.public_id }),
})
