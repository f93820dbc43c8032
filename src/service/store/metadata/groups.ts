import type { SelectQueryBuilder } from 'kysely'
import { sql } from 'kysely'
import type { Group } from '../../persons/person.ts'
import type { Metadata } from './open.ts'
import type { Database } from './schema.ts'
import { splitIntoChunks } from './split-into-chunks.ts'

/** The name of a group, unique in its project. */
export interface GroupName {
  readonly type: string
  readonly key: string
}

/**
 * Selects the rows of groups. `names` must not be empty or exceed one chunk (`splitIntoChunks`). The query uses row values
 * instead of `OR`: with three or more `OR` terms, SQLite scans every group of the project.
 */
export const selectGroups = (
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

/** The size of the properties of groups, in bytes of JSON; groups that do not exist are missing. */
export const readGroupSizes = async (
  metadata: Metadata,
  projectId: number,
  names: readonly GroupName[],
): Promise<(GroupName & { readonly bytes: number })[]> => {
  const sizes: (GroupName & { readonly bytes: number })[] = []
  for (const chunk of splitIntoChunks(names)) {
    const rows = await selectGroups(metadata, projectId, chunk)
      .select(['group_type', 'group_key', sql<number>`octet_length(properties)`.as('bytes')])
      .execute()
    for (const row of rows) sizes.push({ type: row.group_type, key: row.group_key, bytes: row.bytes })
  }
  return sizes
}

/** Loads groups by name; groups that do not exist are missing. */
export const loadGroups = async (
  metadata: Metadata,
  projectId: number,
  names: readonly GroupName[],
): Promise<Group[]> => {
  const groups: Group[] = []
  for (const chunk of splitIntoChunks(names)) {
    const rows = await selectGroups(metadata, projectId, chunk)
      .select(['group_type', 'group_key', 'properties', 'created_at'])
      .execute()
    for (const row of rows) {
      groups.push({
        type: row.group_type,
        key: row.group_key,
        properties: JSON.parse(row.properties),
        createdAt: row.created_at,
      })
    }
  }
  return groups
}

/** Writes new or changed groups. Call it inside a transaction. */
export const saveGroups = async (transaction: Metadata, projectId: number, groups: readonly Group[]): Promise<void> => {
  for (const chunk of splitIntoChunks(groups)) {
    await transaction
      .insertInto('groups')
      .values(
        chunk.map((group) => ({
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
