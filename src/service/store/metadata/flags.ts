import type { FlagDefinition } from '../../../wire/definition.ts'
import type { Metadata } from './open.ts'
import { storedDefinition } from './stored-definition.ts'
import type { Page, PageOf, StoredDefinition } from './stored-definition.ts'

/** A definition before the store has given it an id and a version. */
export type NewFlag = Omit<FlagDefinition, 'id' | 'version'>

export type StoredFlag = StoredDefinition<NewFlag>

const flagsOf = (metadata: Metadata, projectId: number) =>
  metadata.selectFrom('flags').where('project_id', '=', projectId)

/** All flags of a project in the order of their creation, without deleted ones. */
export const listFlags = async (metadata: Metadata, projectId: number): Promise<FlagDefinition[]> =>
  (await loadFlags(metadata, projectId)).flatMap(({ given, id, version }) =>
    given.deleted ? [] : [{ ...given, id, version }],
  )

/** All flags of a project in the order of their creation, deleted ones too. */
export const loadFlags = async (metadata: Metadata, projectId: number): Promise<StoredFlag[]> =>
  (await flagsOf(metadata, projectId).selectAll().orderBy('id').execute()).map((row) => storedDefinition(row))

/** A part of `listFlags`. */
export const pageOfFlags = async (
  metadata: Metadata,
  projectId: number,
  { limit, offset }: Page,
): Promise<PageOf<StoredFlag>> => {
  const found = flagsOf(metadata, projectId).where('is_deleted', '=', 0)
  const { count } = await found.select((row) => row.fn.countAll().as('count')).executeTakeFirstOrThrow()
  const rows = await found.selectAll().orderBy('id').limit(limit).offset(offset).execute()
  return { count: Number(count), items: rows.map((row) => storedDefinition(row)) }
}

/** A flag by its id, a number, or by its key, a text; a deleted one too. */
export const findFlag = async (
  metadata: Metadata,
  projectId: number,
  name: number | string,
): Promise<StoredFlag | undefined> => {
  const row = await flagsOf(metadata, projectId)
    .where(typeof name === 'number' ? 'id' : 'key', '=', name)
    .selectAll()
    .executeTakeFirst()
  return row && storedDefinition(row)
}

/** Creates or replaces flags by their keys; one that says the same as before keeps its version. Call it inside a transaction. */
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
    // Not an insertion that gives way to an update: it would use up an id at each change.
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

/** Gives a stored flag another key, so that `saveFlags` finds it by that. The key must be free. */
export const renameFlag = async (transaction: Metadata, id: number, key: string): Promise<void> => {
  await transaction.updateTable('flags').set({ key }).where('id', '=', id).execute()
}

/** Call it inside a transaction. */
export const removeFlag = async (transaction: Metadata, projectId: number, key: string): Promise<void> => {
  await transaction.deleteFrom('flags').where('project_id', '=', projectId).where('key', '=', key).execute()
}
