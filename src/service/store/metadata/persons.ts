import type { CompiledQuery } from 'kysely'
import { sql } from 'kysely'
import type { JsonObject } from '../../../wire/json.ts'
import type { Person } from '../../persons/person.ts'
import type { Metadata } from './open.ts'
import { inSlices } from './slices.ts'

/** Who a distinct id belongs to, without the properties. */
export interface FoundPerson {
  readonly distinctId: string
  readonly personId: string
  /** Bytes of the person's properties as JSON. */
  readonly bytes: number
}

/**
 * The persons that distinct ids belong to. Ids that belong to nobody are not in the answer; those whose person was lost with
 * a damaged page are, for they still say who belongs together.
 */
export const findPersons = async (
  metadata: Metadata,
  projectId: number,
  distinctIds: readonly string[],
): Promise<FoundPerson[]> => {
  const found: FoundPerson[] = []
  for (const slice of inSlices(distinctIds)) {
    const rows = await metadata
      .selectFrom('person_distinct_ids as map')
      .leftJoin('persons as person', (join) =>
        join.onRef('person.project_id', '=', 'map.project_id').onRef('person.id', '=', 'map.person_id'),
      )
      // Read from the head of the row: the text itself may lie on hundreds of pages.
      .select(['map.distinct_id', 'map.person_id', sql<number>`ifnull(octet_length(person.properties), 0)`.as('bytes')])
      .where('map.project_id', '=', projectId)
      .where('map.distinct_id', 'in', slice)
      .execute()
    for (const row of rows) found.push({ distinctId: row.distinct_id, personId: row.person_id, bytes: row.bytes })
  }
  return found
}

/** How large the persons of these ids are, in bytes of their properties as JSON; those who do not exist are left out. */
export const sizesOfPersons = async (
  metadata: Metadata,
  projectId: number,
  ids: readonly string[],
): Promise<{ readonly id: string; readonly bytes: number }[]> => {
  const found: { id: string; bytes: number }[] = []
  for (const slice of inSlices(ids)) {
    const rows = await metadata
      .selectFrom('persons')
      .select(['id', sql<number>`octet_length(properties)`.as('bytes')])
      .where('project_id', '=', projectId)
      .where('id', 'in', slice)
      .execute()
    found.push(...rows)
  }
  return found
}

/** The persons of these ids. */
export const loadPersons = async (metadata: Metadata, projectId: number, ids: readonly string[]): Promise<Person[]> => {
  const found: Person[] = []
  for (const slice of inSlices(ids)) {
    const rows = await metadata
      .selectFrom('persons')
      .select(['id', 'properties', 'created_at', 'is_identified'])
      .where('project_id', '=', projectId)
      .where('id', 'in', slice)
      .execute()
    for (const row of rows) found.push(personOfRow(row))
  }
  return found
}

/** What a flag request wants to know of a person. */
export interface StoredProperties {
  readonly id: string
  readonly properties: JsonObject
}

/** Distinct ids that `loadProperties` takes at once, at most. */
export const MOST_AT_ONCE = 32

/**
 * The persons of a few distinct ids, by distinct id; ids without a person are not in the answer. One indexed read, made for
 * being called often.
 */
export const loadProperties = async (
  metadata: Metadata,
  projectId: number,
  distinctIds: readonly string[],
): Promise<Map<string, StoredProperties>> => {
  const query = propertiesQuery(metadata, distinctIds.length)
  const { rows } = await metadata.executeQuery<PropertiesRow>({ ...query, parameters: [projectId, ...distinctIds] })
  return new Map(
    rows.map((row): [string, StoredProperties] => [
      row.distinct_id,
      { id: row.id, properties: JSON.parse(row.properties) },
    ]),
  )
}

interface PropertiesRow extends Pick<PersonRow, 'id' | 'properties'> {
  readonly distinct_id: string
}

/** By the number of distinct ids. Building and compiling a query costs more than running it; it holds for one kind of database. */
const propertiesQueries = new WeakMap<Metadata, CompiledQuery<PropertiesRow>[]>()

const propertiesQuery = (metadata: Metadata, count: number): CompiledQuery<PropertiesRow> => {
  const known = propertiesQueries.get(metadata) ?? []
  propertiesQueries.set(metadata, known)
  known[count] ??= metadata
    .selectFrom('person_distinct_ids as map')
    .innerJoin('persons as person', (join) =>
      join.onRef('person.project_id', '=', 'map.project_id').onRef('person.id', '=', 'map.person_id'),
    )
    .select(['map.distinct_id', 'person.id', 'person.properties'])
    // In the order of the parameters above.
    .where('map.project_id', '=', 0)
    .where('map.distinct_id', 'in', Array<string>(count).fill(''))
    .compile()
  return known[count]
}

/** Every distinct id of these persons, with its person's id. */
export const distinctIdsOf = async (
  metadata: Metadata,
  projectId: number,
  personIds: readonly string[],
): Promise<[distinctId: string, personId: string][]> => {
  const found: [string, string][] = []
  for (const slice of inSlices(personIds)) {
    const rows = await metadata
      .selectFrom('person_distinct_ids')
      .select(['distinct_id', 'person_id'])
      .where('project_id', '=', projectId)
      .where('person_id', 'in', slice)
      .execute()
    for (const row of rows) found.push([row.distinct_id, row.person_id])
  }
  return found
}

/** Distinct ids of the person that a distinct id belongs to, at most `most`; none where there is no person. Two indexed steps. */
export const distinctIdsBeside = async (
  metadata: Metadata,
  projectId: number,
  distinctId: string,
  most: number,
): Promise<string[]> => {
  const rows = await metadata
    .selectFrom('person_distinct_ids as own')
    .innerJoin('person_distinct_ids as other', (join) =>
      join.onRef('other.project_id', '=', 'own.project_id').onRef('other.person_id', '=', 'own.person_id'),
    )
    .select('other.distinct_id')
    .where('own.project_id', '=', projectId)
    .where('own.distinct_id', '=', distinctId)
    .limit(most)
    .execute()
  return rows.map((row) => row.distinct_id)
}

/** What `savePersons` writes. */
export interface PersonWrites {
  /** New or changed; existing ones are replaced. */
  readonly persons: readonly Person[]
  /** Distinct ids that had no person. */
  readonly attached: readonly (readonly [distinctId: string, personId: string])[]
  /** All distinct ids of the loser go to the winner, who is the loser of no other, and the loser is gone. */
  readonly merges: readonly (readonly [loser: string, winner: string])[]
}

/** Writes changes of persons. Call it inside a transaction. */
export const savePersons = async (transaction: Metadata, projectId: number, writes: PersonWrites): Promise<void> => {
  for (const [loser, winner] of writes.merges) {
    await transaction
      .updateTable('person_distinct_ids')
      .set({ person_id: winner })
      .where('project_id', '=', projectId)
      .where('person_id', '=', loser)
      .execute()
    await transaction.deleteFrom('persons').where('project_id', '=', projectId).where('id', '=', loser).execute()
  }
  for (const slice of inSlices(writes.persons)) {
    await transaction
      .insertInto('persons')
      .values(slice.map((person) => rowOfPerson(projectId, person)))
      .onConflict((conflict) =>
        conflict.columns(['project_id', 'id']).doUpdateSet((row) => ({
          properties: row.ref('excluded.properties'),
          created_at: row.ref('excluded.created_at'),
          is_identified: row.ref('excluded.is_identified'),
        })),
      )
      .execute()
  }
  for (const slice of inSlices(writes.attached)) {
    await transaction
      .insertInto('person_distinct_ids')
      .values(
        slice.map(([distinctId, personId]) => ({
          project_id: projectId,
          distinct_id: distinctId,
          person_id: personId,
        })),
      )
      // A row that a damaged index hides is still there: an event must not wait for it for ever.
      .onConflict((conflict) =>
        conflict
          .columns(['project_id', 'distinct_id'])
          .doUpdateSet((row) => ({ person_id: row.ref('excluded.person_id') })),
      )
      .execute()
  }
}

interface PersonRow {
  readonly id: string
  readonly properties: string
  readonly created_at: number
  readonly is_identified: number
}

const personOfRow = (row: PersonRow): Person => ({
  id: row.id,
  properties: JSON.parse(row.properties),
  createdAt: row.created_at,
  isIdentified: row.is_identified === 1,
})

const rowOfPerson = (projectId: number, person: Person): PersonRow & { readonly project_id: number } => ({
  project_id: projectId,
  id: person.id,
  properties: JSON.stringify(person.properties),
  created_at: person.createdAt,
  is_identified: person.isIdentified ? 1 : 0,
})
