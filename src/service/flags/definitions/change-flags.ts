import type { Json } from '../../../wire/json.ts'
import { noop } from '../../noop.ts'
import { loadCohorts } from '../../store/metadata/cohorts.ts'
import type { NewCohort } from '../../store/metadata/cohorts.ts'
import { saveFlagSettings, touchFlagSettings } from '../../store/metadata/flag-settings.ts'
import type { FlagSettings } from '../../store/metadata/flag-settings.ts'
import { findFlag } from '../../store/metadata/flags.ts'
import { inTransaction } from '../../store/metadata/in-transaction.ts'
import type { Metadata } from '../../store/metadata/open.ts'
import { DefinitionError, InUseError } from './definition-error.ts'
import { FlagError, parseFlagFile } from './parse-flag-file.ts'
import type { FlagFile } from './parse-flag-file.ts'
import { NamedDefinitionError, saveDefinitions } from './save-definitions.ts'

/** Runs a change of a project's definitions or settings, in the caller's transaction if there is one. */
const changeDefinitions = <Result>(
  metadata: Metadata,
  projectId: number,
  run: (transaction: Metadata, settings: FlagSettings) => Promise<Result>,
): Promise<Result> =>
  inTransaction(metadata, async (transaction) => run(transaction, await touchFlagSettings(transaction, projectId)))

const describe = ({ kind, name }: NamedDefinitionError['subject']): string =>
  kind === 'flag' ? `Flag "${name}"` : `Cohort ${name}`

/** Turns a refused change of definitions into a `FlagError`, whose message the command line prints. */
const toFlagErrors = async <Result>(change: Promise<Result>): Promise<Result> => {
  try {
    return await change
  } catch (error) {
    if (error instanceof NamedDefinitionError)
      throw new FlagError(`${describe(error.subject)}: ${error.message}.`, { cause: error })
    if (error instanceof DefinitionError)
      throw new FlagError(`Nothing was changed: ${error.message}.`, { cause: error })
    if (error instanceof InUseError) throw new FlagError(`Nothing was changed: ${error.message}.`, { cause: error })
    throw error
  }
}

/** A feed has no cohort names, so an existing cohort keeps its name and description. */
const keepNames = async (
  transaction: Metadata,
  projectId: number,
  cohorts: FlagFile['cohorts'],
): Promise<Map<number, NewCohort>> => {
  const stored = new Map((await loadCohorts(transaction, projectId)).map(({ id, definition }) => [id, definition]))
  return new Map(
    [...cohorts].map(([id, { cohort, isNamed }]) => {
      const existing = isNamed ? undefined : stored.get(id)
      return [
        id,
        existing ? { ...existing, ...(existing.deleted && { deleted: false }), filters: cohort.filters } : cohort,
      ]
    }),
  )
}

/** Merges group types. A new one replaces a stored one with the same index or name. */
const mergeGroupTypes = (
  added: Readonly<Record<string, string>>,
  stored: Readonly<Record<string, string>>,
): Record<string, string> => {
  const types = new Set(Object.values(added))
  return { ...Object.fromEntries(Object.entries(stored).filter(([, type]) => !types.has(type))), ...added }
}

/**
 * Creates or replaces flags and cohorts from JSON, all or none, in the caller's transaction if there is one. Definitions
 * that the JSON does not contain are kept.
 *
 * @param now Milliseconds since 1970.
 * @param onWarning Called for each field of the JSON that has no effect, with a sentence.
 * @returns The keys of the flags, in the order of the JSON.
 * @throws FlagError
 */
export const setFlags = async (
  metadata: Metadata,
  projectId: number,
  json: Json,
  now: number,
  onWarning: (warning: string) => void = noop,
): Promise<string[]> => {
  const file = parseFlagFile(json)
  const { flags, cohorts, groupTypes, propertyMatchingVersion, minimalFlagCalledEvents } = file
  await toFlagErrors(
    changeDefinitions(metadata, projectId, async (transaction, settings) => {
      const change = {
        flags,
        cohorts: await keepNames(transaction, projectId, cohorts),
        settings: {
          ...(groupTypes && { groupTypes: mergeGroupTypes(groupTypes, settings.groupTypes) }),
          ...(propertyMatchingVersion !== undefined && { propertyMatchingVersion }),
          ...(minimalFlagCalledEvents !== undefined && { minimalFlagCalledEvents }),
        },
      }
      await saveDefinitions(transaction, projectId, change, now)
    }),
  )
  for (const warning of file.warnings) onWarning(warning)
  return flags.map(({ key }) => key)
}

/**
 * Deletes a flag.
 *
 * @returns False when the flag does not exist.
 * @throws FlagError when another definition depends on the flag.
 */
export const deleteFlag = (metadata: Metadata, projectId: number, key: string): Promise<boolean> =>
  toFlagErrors(
    changeDefinitions(metadata, projectId, async (transaction) => {
      if (!(await findFlag(transaction, projectId, key))) return false
      // A removal stores no timestamp.
      await saveDefinitions(transaction, projectId, { removedFlag: key }, 0)
      return true
    }),
  )

/** Marks the project's flag quota as used up or not. Clients keep the flags they have while it is used up. */
export const pauseFlags = (metadata: Metadata, projectId: number, isPaused: boolean): Promise<void> =>
  changeDefinitions(metadata, projectId, (transaction) => saveFlagSettings(transaction, projectId, { isPaused }))
