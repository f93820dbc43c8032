import type { FlagDefinition } from '../../../wire/definition.ts'
import type { Metadata } from './open.ts'

/** A definition before the store has given it an id and a version. */
export type NewFlag = Omit<FlagDefinition, 'id' | 'version'>

/** What stands beside the flags of a project. */
export interface FlagSettings {
  /** 0 for a project that never had flags. */
  readonly revision: number
  /** Group type index, as text, to group type. */
  readonly groupTypes: Readonly<Record<string, string>>
  /** True when evaluation is paused because the quota is used up. */
  readonly isPaused: boolean
}

/** All flags of a project, in the order of their creation. */
export const listFlags = async (metadata: Metadata, projectId: number): Promise<FlagDefinition[]> => {
  const rows = await metadata
    .selectFrom('flags')
    .selectAll()
    .where('project_id', '=', projectId)
    .orderBy('id')
    .execute()
  return rows.map(({ definition, id, version }) => {
    const given: NewFlag = JSON.parse(definition)
    return Object.assign(given, { id, version })
  })
}

/** Creates or replaces flags by their keys; one that says the same as before keeps its version. Call it inside a transaction. */
export const saveFlags = async (
  transaction: Metadata,
  projectId: number,
  flags: readonly NewFlag[],
  now: number,
): Promise<void> => {
  for (const flag of flags) {
    const definition = JSON.stringify(flag)
    await transaction
      .insertInto('flags')
      .values({ project_id: projectId, key: flag.key, definition, version: 1, updated_at: now })
      .onConflict((conflict) =>
        conflict
          .columns(['project_id', 'key'])
          .doUpdateSet((row) => ({ definition, version: row('flags.version', '+', 1), updated_at: now }))
          .where('flags.definition', '!=', definition),
      )
      .execute()
  }
}

/** @returns False when there was no such flag. */
export const removeFlag = async (transaction: Metadata, projectId: number, key: string): Promise<boolean> => {
  const { numDeletedRows } = await transaction
    .deleteFrom('flags')
    .where('project_id', '=', projectId)
    .where('key', '=', key)
    .executeTakeFirst()
  return numDeletedRows > 0n
}

export const readFlagSettings = async (metadata: Metadata, projectId: number): Promise<FlagSettings> => {
  const row = await metadata
    .selectFrom('flag_settings')
    .selectAll()
    .where('project_id', '=', projectId)
    .executeTakeFirst()
  if (!row) return { revision: 0, groupTypes: {}, isPaused: false }
  return { revision: row.revision, groupTypes: JSON.parse(row.group_types), isPaused: row.is_paused === 1 }
}

/** Changes settings, if any, and lets the revision grow: the last step of every change. Call it inside the change's transaction. */
export const touchFlagSettings = async (
  transaction: Metadata,
  projectId: number,
  change: Partial<Omit<FlagSettings, 'revision'>> = {},
): Promise<void> => {
  const { revision, groupTypes, isPaused } = { ...(await readFlagSettings(transaction, projectId)), ...change }
  const settings = { revision: revision + 1, group_types: JSON.stringify(groupTypes), is_paused: isPaused ? 1 : 0 }
  await transaction
    .insertInto('flag_settings')
    .values({ project_id: projectId, ...settings })
    .onConflict((conflict) => conflict.column('project_id').doUpdateSet(settings))
    .execute()
}
