import { sql } from 'kysely'
import type { Group } from '../../persons/person.ts'
import type { Metadata } from './open.ts'
import { inSlices } from './slices.ts'

/** Names one group of a project. */
export interface GroupName {
  readonly type: string
  readonly key: string
}

/** Bytes of the properties, as JSON, of those groups of these names that exist. */
export async function sizesOfGroups(
  metadata: Metadata,
  projectId: number,
  names: readonly GroupName[],
): Promise<(GroupName & { readonly bytes: number })[]> {
  const found: (GroupName & { readonly bytes: number })[] = []
  for (const slice of inSlices(names)) {
    const rows = await metadata
      .selectFrom('groups')
      .select(['group_type', 'group_key', sql<number>`octet_length(properties)`.as('bytes')])
      .where('project_id', '=', projectId)
      .where((row) => row.or(slice.map((name) => row.and({ group_type: name.type, group_key: name.key }))))
      .execute()
    for (const row of rows) found.push({ type: row.group_type, key: row.group_key, bytes: row.bytes })
  }
  return found
}

/** The groups of these names that exist. */
export async function loadGroups(metadata: Metadata, projectId: number, names: readonly GroupName[]): Promise<Group[]> {
  const found: Group[] = []
  for (const slice of inSlices(names)) {
    const rows = await metadata
      .selectFrom('groups')
      .select(['group_type', 'group_key', 'properties', 'created_at'])
      .where('project_id', '=', projectId)
      .where((row) => row.or(slice.map((name) => row.and({ group_type: name.type, group_key: name.key }))))
      .execute()
    for (const row of rows) {
      found.push({
        type: row.group_type,
        key: row.group_key,
        properties: JSON.parse(row.properties),
        createdAt: row.created_at,
      })
    }
  }
  return found
}

/** Writes new or changed groups. Call it inside a transaction. */
export async function saveGroups(transaction: Metadata, projectId: number, groups: readonly Group[]): Promise<void> {
  for (const slice of inSlices(groups)) {
    await transaction
      .insertInto('groups')
      .values(
        slice.map((group) => ({
          project_id: projectId,
          group_type: group.type,
          group_key: group.key,
          properties: JSON.stringify(group.properties),
          created_at: group.createdAt,
        })),
      )
      .onConflict((conflict) =>
        conflict.columns(['project_id', 'group_type', 'group_key']).doUpdateSet((row) => ({
          properties: row.ref('excluded.properties'),
          created_at: row.ref('excluded.created_at'),
        })),
      )
      .execute()
  }
}
