import type { Json } from '../../../wire/json.ts'
import { loadCohorts } from '../../store/metadata/cohorts.ts'
import type { NewCohort } from '../../store/metadata/cohorts.ts'
import { saveFlagSettings, touchFlagSettings } from '../../store/metadata/flag-settings.ts'
import type { FlagSettings } from '../../store/metadata/flag-settings.ts'
import { findFlag } from '../../store/metadata/flags.ts'
import type { Metadata } from '../../store/metadata/open.ts'
import { DefinitionError, InUseError } from './definition-error.ts'
import { FlagError, parseFlagFile } from './parse-flag-file.ts'
import type { FlagFile } from './parse-flag-file.ts'
import { LinkError, saveDefinitions } from './save-definitions.ts'

/** Runs a change of a project's definitions or settings in the transaction that is given or one of its own. */
const changing = <Result>(
  metadata: Metadata,
  projectId: number,
  run: (transaction: Metadata, settings: FlagSettings) => Promise<Result>,
): Promise<Result> => {
  const change = async (transaction: Metadata): Promise<Result> =>
    run(transaction, await touchFlagSettings(transaction, projectId))
  return metadata.isTransaction ? change(metadata) : metadata.transaction().execute(change)
}

const nameOf = ({ kind, name }: LinkError['subject']): string => (kind === 'flag' ? `Flag "${name}"` : `Cohort ${name}`)

/** What the change of definitions refuses, in the words of the command line. */
const explained = async <Result>(change: Promise<Result>): Promise<Result> => {
  try {
    return await change
  } catch (error) {
    if (error instanceof LinkError) throw new FlagError(`${nameOf(error.subject)}: ${error.message}.`, { cause: error })
    if (error instanceof DefinitionError)
      throw new FlagError(`Nothing was changed: ${error.message}.`, { cause: error })
    if (error instanceof InUseError) throw new FlagError(`Nothing was changed: ${error.message}.`, { cause: error })
    throw error
  }
}

/** A feed does not say what its cohorts are called: one that is there keeps its name and description. */
const withNames = async (
  transaction: Metadata,
  projectId: number,
  cohorts: FlagFile['cohorts'],
): Promise<Map<number, NewCohort>> => {
  const stored = new Map((await loadCohorts(transaction, projectId)).map(({ id, given }) => [id, given]))
  return new Map(
    [...cohorts].map(([id, { cohort, isNamed }]) => {
      const known = isNamed ? undefined : stored.get(id)
      return [id, known ? { ...known, ...(known.deleted && { deleted: false }), filters: cohort.filters } : cohort]
    }),
  )
}

/** The given group types, and of the stored ones those that they leave room for. */
const withStored = (
  given: Readonly<Record<string, string>>,
  stored: Readonly<Record<string, string>>,
): Record<string, string> => {
  const types = new Set(Object.values(given))
  return { ...Object.fromEntries(Object.entries(stored).filter(([, type]) => !types.has(type))), ...given }
}

/**
 * Creates or replaces flags and cohorts from JSON: all or none, in the transaction that is given or one of its own. Those
 * that the JSON does not name stay.
 *
 * @param now Milliseconds since 1970.
 * @returns The keys of the flags, as given.
 * @throws FlagError
 */
export const setFlags = async (metadata: Metadata, projectId: number, json: Json, now: number): Promise<string[]> => {
  const { flags, cohorts, groupTypes, propertyMatchingVersion, minimalFlagCalledEvents } = parseFlagFile(json)
  await explained(
    changing(metadata, projectId, async (transaction, settings) => {
      const change = {
        flags,
        cohorts: await withNames(transaction, projectId, cohorts),
        settings: {
          ...(groupTypes && { groupTypes: withStored(groupTypes, settings.groupTypes) }),
          ...(propertyMatchingVersion !== undefined && { propertyMatchingVersion }),
          ...(minimalFlagCalledEvents !== undefined && { minimalFlagCalledEvents }),
        },
      }
      await saveDefinitions(transaction, projectId, change, now)
    }),
  )
  return flags.map(({ key }) => key)
}

/**
 * @returns False when there was no such flag.
 * @throws FlagError when another definition depends on it.
 */
export const deleteFlag = (metadata: Metadata, projectId: number, key: string): Promise<boolean> =>
  explained(
    changing(metadata, projectId, async (transaction) => {
      if (!(await findFlag(transaction, projectId, key))) return false
      // A removal writes no moment.
      await saveDefinitions(transaction, projectId, { removedFlag: key }, 0)
      return true
    }),
  )

/** Marks the project's flag quota as used up, or not: clients then keep the flags they have. */
export const pauseFlags = (metadata: Metadata, projectId: number, isPaused: boolean): Promise<void> =>
  changing(metadata, projectId, (transaction) => saveFlagSettings(transaction, projectId, { isPaused }))
