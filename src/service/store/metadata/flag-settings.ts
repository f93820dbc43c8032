import type { Metadata } from './open.ts'

/** The settings of a project's flags. */
export interface FlagSettings {
  /** Increases with each change; 0 for a project that never had flags. */
  readonly revision: number
  /** Maps a group type index (a string of digits) to its group type. */
  readonly groupTypes: Readonly<Record<string, string>>
  /** True while evaluation is paused because the quota is used up. */
  readonly isPaused: boolean
  /** See `FlagDefinitions`; undefined if it was never set. */
  readonly propertyMatchingVersion: number | undefined
  /** See `FlagDefinitions`. */
  readonly minimalFlagCalledEvents: boolean
  /** The highest cohort id that was ever assigned. */
  readonly lastCohortId: number
}

export const readFlagSettings = async (metadata: Metadata, projectId: number): Promise<FlagSettings> => {
  const row = await metadata
    .selectFrom('flag_settings')
    .selectAll()
    .where('project_id', '=', projectId)
    .executeTakeFirst()
  return {
    revision: row?.revision ?? 0,
    groupTypes: row ? JSON.parse(row.group_types) : {},
    isPaused: row?.is_paused === 1,
    propertyMatchingVersion: row?.property_matching_version ?? undefined,
    minimalFlagCalledEvents: row?.minimal_flag_called_events === 1,
    lastCohortId: row?.last_cohort_id ?? 0,
  }
}

/**
 * Increments the revision, by which other processes notice a change. Call it first in the transaction of each change: the
 * written row then makes other writers of the project wait.
 *
 * @returns the settings after the increment.
 */
export const touchFlagSettings = async (transaction: Metadata, projectId: number): Promise<FlagSettings> => {
  await transaction
    .insertInto('flag_settings')
    .values({
      project_id: projectId,
      revision: 1,
      group_types: '{}',
      is_paused: 0,
      property_matching_version: null,
    })
    .onConflict((conflict) =>
      conflict.column('project_id').doUpdateSet((row) => ({ revision: row('flag_settings.revision', '+', 1) })),
    )
    .execute()
  return readFlagSettings(transaction, projectId)
}

/** Updates the settings in `change`. Call it in a transaction that began with `touchFlagSettings`. */
export const saveFlagSettings = async (
  transaction: Metadata,
  projectId: number,
  change: Partial<Omit<FlagSettings, 'revision'>>,
): Promise<void> => {
  const { groupTypes, isPaused, propertyMatchingVersion, minimalFlagCalledEvents, lastCohortId } = change
  const settings = {
    ...(groupTypes && { group_types: JSON.stringify(groupTypes) }),
    ...(isPaused !== undefined && { is_paused: isPaused ? 1 : 0 }),
    ...(propertyMatchingVersion !== undefined && { property_matching_version: propertyMatchingVersion }),
    ...(minimalFlagCalledEvents !== undefined && { minimal_flag_called_events: minimalFlagCalledEvents ? 1 : 0 }),
    ...(lastCohortId !== undefined && { last_cohort_id: lastCohortId }),
  }
  if (Object.keys(settings).length === 0) return
  await transaction.updateTable('flag_settings').set(settings).where('project_id', '=', projectId).execute()
}
