import type { FlagDefinition } from '../../../wire/definition.ts'
import type { Metadata } from './open.ts'
import { loadPage } from './page.ts'
import type { Page, PageOf } from './page.ts'
import { parseDefinitionRow } from './stored-definition.ts'
import type { StoredDefinition } from './stored-definition.ts'

/** A flag definition before the store assigns its id and version. */
export type NewFlag = Omit<FlagDefinition, 'id' | 'version'>

export type StoredFlag = StoredDefinition<NewFlag>

const selectFlags = (metadata: Metadata, projectId: number) =>
  metadata.selectFrom('flags').where('project_id', '=', projectId)

/** All flags of a project in order of creation, without deleted ones. */
export const listFlags = async (metadata: Metadata, projectId: number): Promise<FlagDefinition[]> =>
  (await loadFlags(metadata, projectId)).flatMap(({ definition, id, version }) =>
    definition.deleted ? [] : [{ ...definition, id, version }],
  )

/** All flags of a project in order of creation, including deleted ones. */
export const loadFlags = async (metadata: Metadata, projectId: number): Promise<StoredFlag[]> =>
  (await selectFlags(metadata, projectId).selectAll().orderBy('id').execute()).map((row) => parseDefinitionRow(row))

/** One page of `listFlags`. */
export const listFlagsPage = (metadata: Metadata, projectId: number, page: Page): Promise<PageOf<StoredFlag>> => {
  const flags = selectFlags(metadata, projectId).where('is_deleted', '=', 0).selectAll().orderBy('id')
  return loadPage(flags, page, (row) => parseDefinitionRow(row))
}

/** A flag by its id (a number) or its key (a string), even if it is deleted. */
export const findFlag = async (
  metadata: Metadata,
  projectId: number,
  idOrKey: number | string,
): Promise<StoredFlag | undefined> => {
  const row = await selectFlags(metadata, projectId)
    .where(typeof idOrKey === 'number' ? 'id' : 'key', '=', idOrKey)
    .selectAll()
    .executeTakeFirst()
  return row && parseDefinitionRow(row)
}

/** Creates or replaces flags by their keys; an unchanged flag keeps its version. Call it inside a transaction. */
export const saveFlags = async (
  transaction: Metadata,
  projectId: number,
  flags: readonly NewFlag[],
  now: number,
): Promise<void> => {
  for (const flag of flags) {
    const { key } = flag
    const definition = JSON.stringify(flag)
    const fields = { definition, is_deleted: flag.deleted ? 1 : 0, updated_at: now }
    // Not an upsert, which would use up an id at each change.
    const isStored = (await findFlag(transaction, projectId, key)) !== undefined
    const write = isStored
      ? transaction
          .updateTable('flags')
          .where('project_id', '=', projectId)
          .where('key', '=', key)
          .set((row) => ({ ...fields, version: row('version', '+', 1) }))
          .where('definition', '!=', definition)
      : transaction.insertInto('flags').values({ ...fields, project_id: projectId, key, version: 1, created_at: now })
    await write.execute()
  }
}

/** Changes the key of a stored flag, so that `saveFlags` finds it by the new key. The key must be unused. */
export const renameFlag = async (transaction: Metadata, id: number, key: string): Promise<void> => {
  await transaction.updateTable('flags').set({ key }).where('id', '=', id).execute()
}

/** Deletes a flag's row. Call it inside a transaction. */
export const removeFlag = async (transaction: Metadata, projectId: number, key: string): Promise<void> => {
  await transaction.deleteFrom('flags').where('project_id', '=', projectId).where('key', '=', key).execute()
}
