import type { SelectQueryBuilder } from 'kysely'
import { sql } from 'kysely'
import type { Group } from '../../persons/person.ts'
import type { Metadata } from './open.ts'
import type { Database } from './schema.ts'
import { inSlices } from './slices.ts'

/** Names one group of a project. */
export interface GroupName {
  readonly type: string
  readonly key: string
}

/**
 * The rows of these groups, at least one and as many as a statement may name. Asked for by pairs, not by `OR`: from the
 * third pair on SQLite would look at every group of the project.
 */
export const groupsNamed = (
  metadata: Metadata,
  projectId: number,
  names: readonly GroupName[],
): SelectQueryBuilder<Database, 'groups', object> => {
  const pairs = names.map(({ type, key }) => sql`(${type}, ${key})`)
  return metadata
    .selectFrom('groups')
    .where('project_id', '=', projectId)
    .where(sql<boolean>`(group_type, group_key) in (values ${sql.join(pairs)})`)
}

/** Bytes of the properties, as JSON, of those groups of these names that exist. */
export const sizesOfGroups = async (
  metadata: Metadata,
  projectId: number,
  names: readonly GroupName[],
): Promise<(GroupName & { readonly bytes: number })[]> => {
  const found: (GroupName & { readonly bytes: number })[] = []
  for (const slice of inSlices(names)) {
    const rows = await groupsNamed(metadata, projectId, slice)
      .select(['group_type', 'group_key', sql<number>`octet_length(properties)`.as('bytes')])
      .execute()
    for (const row of rows) found.push({ type: row.group_type, key: row.group_key, bytes: row.bytes })
  }
  return found
}

/** The groups of these names that exist. */
export const loadGroups = async (
  metadata: Metadata,
  projectId: number,
  names: readonly GroupName[],
): Promise<Group[]> => {
  const found: Group[] = []
  for (const slice of inSlices(names)) {
    const rows = await groupsNamed(metadata, projectId, slice)
      .select(['group_type', 'group_key', 'properties', 'created_at'])
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
export const saveGroups = async (transaction: Metadata, projectId: number, groups: readonly Group[]): Promise<void> => {
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
