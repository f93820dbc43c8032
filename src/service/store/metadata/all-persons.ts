import { sql } from 'kysely'
import type { Group, Person } from '../../persons/person.ts'
import type { Metadata } from './open.ts'
import { loadGroups } from './groups.ts'
import { loadPersons } from './persons.ts'

/** Rows that are looked at for one part. */
const PART_ROWS = 5_000

/** Bytes of properties, as JSON, after which a part ends: one person or group may have 1 MiB. */
const PART_BYTES = 8 * 1024 * 1024

/** All persons of a project, in parts that fit into memory. */
export const allPersons = async function* (metadata: Metadata, projectId: number): AsyncGenerator<Person[], void> {
  for (let last = ''; ;) {
    const sizes = await metadata
      .selectFrom('persons')
      .select(['id', sql<number>`octet_length(properties)`.as('bytes')])
      .where('project_id', '=', projectId)
      .where('id', '>', last)
      .orderBy('id')
      .limit(PART_ROWS)
      .execute()
    const part = firstThatFit(sizes)
    if (part.length === 0) return
    const ids = part.map(({ id }) => id)
    yield await loadPersons(metadata, projectId, ids)
    last = ids.at(-1)!
  }
}

/** All groups of a project, in parts that fit into memory. */
export const allGroups = async function* (metadata: Metadata, projectId: number): AsyncGenerator<Group[], void> {
  for (let last = { type: '', key: '' }; ;) {
    const sizes = await metadata
      .selectFrom('groups')
      .select(['group_type as type', 'group_key as key', sql<number>`octet_length(properties)`.as('bytes')])
      .where('project_id', '=', projectId)
      .where(sql<boolean>`(group_type, group_key) > (${last.type}, ${last.key})`)
      .orderBy('group_type')
      .orderBy('group_key')
      .limit(PART_ROWS)
      .execute()
    const part = firstThatFit(sizes)
    if (part.length === 0) return
    yield await loadGroups(metadata, projectId, part)
    last = part.at(-1)!
  }
}

const firstThatFit = <Row extends { readonly bytes: number }>(rows: readonly Row[]): Row[] => {
  let bytes = 0
  // At least one, however large.
  const end = rows.findIndex((row, place) => (bytes += row.bytes) > PART_BYTES && place > 0)
  return rows.slice(0, end < 0 ? undefined : end)
}
