import type { SelectQueryBuilder } from 'kysely'
import { sql } from 'kysely'
import type { Group } from '../../persons/person.ts'
import { groupKey } from '../../persons/person.ts'
import type { PropertyWrite } from '../../persons/plan-write.ts'
import type { Metadata } from './open.ts'
import type { Database } from './schema.ts'
import { splitIntoChunks } from './split-into-chunks.ts'
import type { RowKey } from './stored-changes.ts'
import { deleteChanges, foldChanges, GROUP_CHANGES, saveChanges, selectChanges, sortWrites } from './stored-changes.ts'

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
      .select(['group_type', 'group_key', 'properties', 'created_at', selectChanges(GROUP_CHANGES).as('changes')])
      .execute()
    for (const row of rows) {
      groups.push({
        type: row.group_type,
        key: row.group_key,
        ...foldChanges(row.properties, row.changes),
        createdAt: row.created_at,
      })
    }
  }
  return groups
}

/**
 * Writes new or changed groups. Call it inside a transaction.
 *
 * @param propertyWrites how their properties are written, by `groupKey`. Default: `whole`.
 */
export const saveGroups = async (
  transaction: Metadata,
  projectId: number,
  groups: readonly Group[],
  propertyWrites: ReadonlyMap<string, PropertyWrite> = new Map(),
): Promise<void> => {
  const { whole, folded, changed } = sortWrites(groups, ({ type, key }) => propertyWrites.get(groupKey(type, key)))
  for (const chunk of splitIntoChunks(whole)) {
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
  const keyOf = ({ type, key }: Group): RowKey => ({ project_id: projectId, group_type: type, group_key: key })
  for (const group of folded) await deleteChanges(transaction, GROUP_CHANGES, keyOf(group))
  await saveChanges(
    transaction,
    GROUP_CHANGES,
    changed.map(({ item, names }) => ({
      key: keyOf(item),
      columns: { created_at: item.createdAt },
      properties: item.properties,
      names,
    })),
  )
}
