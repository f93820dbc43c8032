import { loadCohorts, removeCohort, saveCohort } from '../../store/metadata/cohorts.ts'
import type { NewCohort } from '../../store/metadata/cohorts.ts'
import { listEarlyAccessFeatures } from '../../store/metadata/early-access-features.ts'
import { readDefinitionsSize } from '../../store/metadata/definitions-size.ts'
import { readFlagSettings, saveFlagSettings } from '../../store/metadata/flag-settings.ts'
import type { FlagSettings } from '../../store/metadata/flag-settings.ts'
import { findFlag, loadFlags, removeFlag, renameFlag, saveFlags } from '../../store/metadata/flags.ts'
import type { NewFlag } from '../../store/metadata/flags.ts'
import type { Metadata } from '../../store/metadata/open.ts'
import { FLAG_FIELDS, listSurveys } from '../../store/metadata/surveys.ts'
import { checkComparisons } from './check-comparisons.ts'
import { checkEvaluable } from './check-evaluable.ts'
import { checkReferences, checkDependencyDepth, checkNotInUse, findDependents, listRefs } from './check-references.ts'
import type { LiveDefinitions, DefinitionRef } from './check-references.ts'
import { DefinitionError, InUseError } from './definition-error.ts'

/**
 * Largest total size of a project's definitions, in characters of JSON (8 Mi). Each change reads all of them and blocks requests
 * meanwhile, and each client of the definitions downloads all of them.
 */
const MAX_TOTAL_CHARACTERS = 8 * 1024 * 1024

/** A change of the flags and cohorts of a project. */
export interface DefinitionChange {
  /** Flags to create or, by key, to replace. */
  readonly flags?: readonly NewFlag[]
  /** Changes the key of a flag before everything else. The new key must be unused. */
  readonly renamed?: { readonly id: number; readonly from: string; readonly to: string }
  readonly removedFlag?: string
  /** Cohorts to create or replace, by id. */
  readonly cohorts?: ReadonlyMap<number, NewCohort>
  readonly removedCohort?: number
  /** A new early access feature that will use one of the flags. */
  readonly feature?: { readonly flagKey: string; readonly name: string }
  readonly settings?: Partial<Pick<FlagSettings, 'groupTypes' | 'propertyMatchingVersion' | 'minimalFlagCalledEvents'>>
}

/** A `DefinitionError` that also says which definition is wrong, for changes of several definitions. */
export class NamedDefinitionError extends DefinitionError {
  readonly subject: DefinitionRef

  constructor(subject: DefinitionRef, { attr, message }: DefinitionError) {
    super(attr, attr === null ? message : message.slice(attr.length + 1))
    this.subject = subject
  }
}

/** Returns the flag as an early access feature requires it: with enrolment. Throws if the flag excludes that. */
const withEnrollment = (flag: NewFlag, feature: string | undefined): NewFlag => {
  if (feature === undefined) return flag
  const { filters } = flag
  if (flag.deleted)
    throw new InUseError(
      `the early access feature "${feature}" still uses flag "${flag.key}"; delete the feature first`,
    )
  if (filters.feature_enrollment === false)
    throw new DefinitionError(
      'filters.feature_enrollment',
      `cannot be false while the early access feature "${feature}" uses the flag`,
    )
  if (filters.aggregation_group_type_index !== undefined && filters.aggregation_group_type_index !== null)
    throw new DefinitionError(
      'filters.aggregation_group_type_index',
      `must be missing while the early access feature "${feature}" uses the flag: persons enrol, not groups`,
    )
  return filters.feature_enrollment ? flag : { ...flag, filters: { ...filters, feature_enrollment: true } }
}

/** Throws `InUseError` when a survey uses a flag that is removed: the survey would then be shown to all persons or to none. */
const checkSurveys = async (
  transaction: Metadata,
  projectId: number,
  removedKeys: readonly string[],
): Promise<void> => {
  if (removedKeys.length === 0) return
  const surveys = await listSurveys(transaction, projectId)
  for (const key of removedKeys) {
    const flag = await findFlag(transaction, projectId, key)
    const survey = flag && surveys.find(({ definition }) => FLAG_FIELDS.some((field) => definition[field] === flag.id))
    if (survey)
      throw new InUseError(
        `the survey "${survey.definition.name}" still uses flag "${key}"; change or delete the survey first`,
      )
  }
}

/** Reads the definitions that are not deleted, before a change. */
const readLiveDefinitions = async (
  transaction: Metadata,
  projectId: number,
  settings: FlagSettings,
): Promise<LiveDefinitions> => ({
  flags: new Map(
    (await loadFlags(transaction, projectId)).flatMap(({ definition }) =>
      definition.deleted ? [] : [[definition.key, definition]],
    ),
  ),
  cohorts: new Map(
    (await loadCohorts(transaction, projectId)).flatMap(({ id, definition }) =>
      definition.deleted ? [] : [[String(id), definition] as const],
    ),
  ),
  groupTypes: settings.groupTypes,
})

/** Returns the definitions that are not deleted, after a change. */
const applyChange = (before: LiveDefinitions, change: DefinitionChange, flags: readonly NewFlag[]): LiveDefinitions => {
  const groupTypes = change.settings?.groupTypes ?? before.groupTypes
  const after = { flags: new Map(before.flags), cohorts: new Map(before.cohorts), groupTypes }
  if (change.renamed) after.flags.delete(change.renamed.from)
  if (change.removedFlag !== undefined) after.flags.delete(change.removedFlag)
  if (change.removedCohort !== undefined) after.cohorts.delete(String(change.removedCohort))
  for (const flag of flags) {
    if (flag.deleted) after.flags.delete(flag.key)
    else after.flags.set(flag.key, flag)
  }
  for (const [id, cohort] of change.cohorts ?? []) {
    if (cohort.deleted) after.cohorts.delete(String(id))
    else after.cohorts.set(String(id), cohort)
  }
  return after
}

/** Runs a check and adds the checked definition to the error it throws. */
const withSubject = <Result>(subject: DefinitionRef, check: () => Result): Result => {
  try {
    return check()
  } catch (error) {
    throw error instanceof DefinitionError ? new NamedDefinitionError(subject, error) : error
  }
}

/** The definitions before a change, with the flag that it renames under its new key. */
const applyRename = (before: LiveDefinitions, { renamed }: DefinitionChange): LiveDefinitions => {
  const flag = renamed && before.flags.get(renamed.from)
  if (!renamed || !flag) return before
  const flags = new Map(before.flags).set(renamed.to, flag)
  flags.delete(renamed.from)
  return { ...before, flags }
}

const checkChange = (before: LiveDefinitions, after: LiveDefinitions, change: DefinitionChange): void => {
  checkNotInUse(before, after)
  // A change of group types may affect any flag.
  const affectsAllFlags = change.settings?.groupTypes !== undefined
  const isChanged = ({ kind, name }: DefinitionRef): boolean =>
    kind === 'flag'
      ? affectsAllFlags || after.flags.get(name) !== before.flags.get(name)
      : after.cohorts.get(name) !== before.cohorts.get(name)
  const all = listRefs(after)
  const changed = all.filter(isChanged)
  for (const ref of changed) withSubject(ref, () => checkReferences(ref, after))
  // Unaffected definitions stay valid. Skipping them keeps the time short in which requests must wait.
  const affected = findDependents(changed, after)
  const depths = new Map<string, number>()
  // Changed definitions come first because every new cycle contains one of them.
  for (const ref of affected) withSubject(ref, () => checkDependencyDepth(ref, after, depths))
  const previous = applyRename(before, change)
  // First, because it is cheap, and compiling what it refuses is not.
  checkComparisons(previous, after, affected, (ref, error) => {
    throw new NamedDefinitionError(ref, error)
  })
  checkEvaluable(previous, after, affected, (name, error) => {
    throw new NamedDefinitionError({ kind: 'flag', name }, error)
  })
}

/**
 * Changes flags and cohorts of a project, all or none. Call it inside a transaction that began with `touchFlagSettings`.
 *
 * @param now Milliseconds since 1970.
 * @throws DefinitionError when the definitions of the project would be too large in total.
 * @throws NamedDefinitionError for a definition that refers to a missing definition or depends on itself.
 * @throws InUseError when another definition needs something that the change removes.
 */
export const saveDefinitions = async (
  transaction: Metadata,
  projectId: number,
  change: DefinitionChange,
  now: number,
): Promise<void> => {
  const ids = [...(change.cohorts?.keys() ?? [])]
  const settings = await readFlagSettings(transaction, projectId)
  const lastCohortId = Math.max(settings.lastCohortId, ...ids)

  const features = await listEarlyAccessFeatures(transaction, projectId)
  const featureOf = new Map(
    [...features, ...(change.feature ? [change.feature] : [])].map(({ flagKey, name }) => [flagKey, name]),
  )
  const { renamed, removedFlag, removedCohort } = change
  // The person property that stores an enrolment contains the key of the flag.
  for (const key of [renamed?.from, removedFlag]) {
    const feature = key === undefined ? undefined : featureOf.get(key)
    if (feature !== undefined)
      throw new InUseError(`the early access feature "${feature}" still uses flag "${key}"; delete the feature first`)
  }
  const flags = (change.flags ?? []).map((flag) =>
    withSubject({ kind: 'flag', name: flag.key }, () => withEnrollment(flag, featureOf.get(flag.key))),
  )

  const removedKeys = [...flags.filter(({ deleted }) => deleted).map(({ key }) => key), removedFlag ?? []].flat()
  await checkSurveys(transaction, projectId, removedKeys)

  const before = await readLiveDefinitions(transaction, projectId, settings)
  checkChange(before, applyChange(before, change, flags), change)

  const sizeBefore = await readDefinitionsSize(transaction, projectId)
  await saveFlagSettings(transaction, projectId, { ...change.settings, lastCohortId })
  if (renamed) await renameFlag(transaction, renamed.id, renamed.to)
  await saveFlags(transaction, projectId, flags, now)
  for (const [id, cohort] of change.cohorts ?? []) await saveCohort(transaction, projectId, id, cohort, now)
  const size = await readDefinitionsSize(transaction, projectId)
  if (size > MAX_TOTAL_CHARACTERS && size > sizeBefore)
    throw new DefinitionError(
      null,
      `all flags and cohorts of the project together would have ${size} characters of JSON; the maximum is ${MAX_TOTAL_CHARACTERS}`,
    )
  if (removedFlag !== undefined) await removeFlag(transaction, projectId, removedFlag)
  if (removedCohort !== undefined) await removeCohort(transaction, projectId, removedCohort)
}
