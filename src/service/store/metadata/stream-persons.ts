import { sql } from 'kysely'
import type { Group, Person } from '../../persons/person.ts'
import type { Metadata } from './open.ts'
import { loadGroups } from './groups.ts'
import { loadPersons } from './persons.ts'

/** Maximum number of rows in one chunk. */
const CHUNK_ROWS = 5_000

/** Maximum size of the properties in one chunk, in bytes of JSON; one person or group may have 512 KiB. */
const CHUNK_BYTES = 8 * 1024 * 1024

/** Streams all persons of a project in chunks that fit into memory. */
export const streamPersons = async function* (metadata: Metadata, projectId: number): AsyncGenerator<Person[], void> {
  for (let lastId = ''; ;) {
    const sizes = await metadata
      .selectFrom('persons')
      .select(['id', sql<number>`octet_length(properties)`.as('bytes')])
      .where('project_id', '=', projectId)
      .where('id', '>', lastId)
      .orderBy('id')
      .limit(CHUNK_ROWS)
      .execute()
    const chunk = takeChunk(sizes)
    if (chunk.length === 0) return
    const ids = chunk.map(({ id }) => id)
    yield await loadPersons(metadata, projectId, ids)
    lastId = ids.at(-1)!
  }
}

/** Streams all groups of a project in chunks that fit into memory. */
export const streamGroups = async function* (metadata: Metadata, projectId: number): AsyncGenerator<Group[], void> {
  for (let lastGroup = { type: '', key: '' }; ;) {
    const sizes = await metadata
      .selectFrom('groups')
      .select(['group_type as type', 'group_key as key', sql<number>`octet_length(properties)`.as('bytes')])
      .where('project_id', '=', projectId)
      .where(sql<boolean>`(group_type, group_key) > (${lastGroup.type}, ${lastGroup.key})`)
      .orderBy('group_type')
      .orderBy('group_key')
      .limit(CHUNK_ROWS)
      .execute()
    const chunk = takeChunk(sizes)
    if (chunk.length === 0) return
    yield await loadGroups(metadata, projectId, chunk)
    lastGroup = chunk.at(-1)!
  }
}

const takeChunk = <Row extends { readonly bytes: number }>(rows: readonly Row[]): Row[] => {
  let bytes = 0
  // The first row is always taken, whatever its size.
  const end = rows.findIndex((row, index) => (bytes += row.bytes) > CHUNK_BYTES && index > 0)
  return rows.slice(0, end < 0 ? undefined : end)
}
