import { loadCohorts, removeCohort, saveCohort } from '../../store/metadata/cohorts.ts'
import type { NewCohort } from '../../store/metadata/cohorts.ts'
import { listEarlyAccessFeatures } from '../../store/metadata/early-access-features.ts'
import { definitionsSize } from '../../store/metadata/definitions-size.ts'
import { readFlagSettings, saveFlagSettings } from '../../store/metadata/flag-settings.ts'
import type { FlagSettings } from '../../store/metadata/flag-settings.ts'
import { findFlag, loadFlags, removeFlag, renameFlag, saveFlags } from '../../store/metadata/flags.ts'
import type { NewFlag } from '../../store/metadata/flags.ts'
import type { Metadata } from '../../store/metadata/open.ts'
import { FLAG_FIELDS, listSurveys } from '../../store/metadata/surveys.ts'
import { checkEvaluable } from './check-evaluable.ts'
import { checkReferences, checkRows, checkUnused, dependentsOf, namesIn } from './check-links.ts'
import type { Links, Named } from './check-links.ts'
import { DefinitionError, InUseError } from './definition-error.ts'

/**
 * Most characters of JSON that all definitions of a project may have (8 Mi): each change reads them at once, which no request
 * is served in, and each client of the definitions gets them all.
 */
const MOST_CHARACTERS = 8 * 1024 * 1024

/** What is to become of the flags and cohorts of a project. */
export interface DefinitionChange {
  /** Created, or replaced by their keys. */
  readonly flags?: readonly NewFlag[]
  /** Before anything else, a flag gets another key, which must be free. */
  readonly renamed?: { readonly id: number; readonly from: string; readonly to: string }
  readonly removedFlag?: string
  /** Created or replaced, by their ids. */
  readonly cohorts?: ReadonlyMap<number, NewCohort>
  readonly removedCohort?: number
  /** An early access feature that comes to stand on one of the flags. */
  readonly feature?: { readonly flagKey: string; readonly name: string }
  readonly settings?: Partial<Pick<FlagSettings, 'groupTypes' | 'propertyMatchingVersion' | 'minimalFlagCalledEvents'>>
}

/** A definition that cannot be stored because of what stands beside it. */
export class LinkError extends DefinitionError {
  readonly subject: Named

  constructor(subject: Named, { attr, message }: DefinitionError) {
    super(attr, attr === null ? message : message.slice(attr.length + 1))
    this.subject = subject
  }
}

/** A flag as it must be while an early access feature stands on it: people enrol in it. */
const enrolled = (flag: NewFlag, feature: string | undefined): NewFlag => {
  if (feature === undefined) return flag
  const { filters } = flag
  if (flag.deleted) throw new InUseError(`the early access feature "${feature}" still stands on flag "${flag.key}"`)
  if (filters.feature_enrollment === false)
    throw new DefinitionError(
      'filters.feature_enrollment',
      `cannot be false while the early access feature "${feature}" stands on the flag`,
    )
  if (filters.aggregation_group_type_index !== undefined && filters.aggregation_group_type_index !== null)
    throw new DefinitionError(
      'filters.aggregation_group_type_index',
      `must be absent while the early access feature "${feature}" stands on the flag: persons enrol, not groups`,
    )
  return filters.feature_enrollment ? flag : { ...flag, filters: { ...filters, feature_enrollment: true } }
}

/** Throws `InUseError` when a survey names a flag that would be gone: it would ask everybody then, or nobody. */
const checkSurveys = async (transaction: Metadata, projectId: number, gone: readonly string[]): Promise<void> => {
  if (gone.length === 0) return
  const surveys = await listSurveys(transaction, projectId)
  for (const key of gone) {
    const flag = await findFlag(transaction, projectId, key)
    const survey = flag && surveys.find(({ given }) => FLAG_FIELDS.some((field) => given[field] === flag.id))
    if (survey) throw new InUseError(`the survey "${survey.given.name}" still names flag "${key}"`)
  }
}

/** The live definitions before a change. */
const readLinks = async (transaction: Metadata, projectId: number, settings: FlagSettings): Promise<Links> => ({
  flags: new Map(
    (await loadFlags(transaction, projectId)).flatMap(({ given }) => (given.deleted ? [] : [[given.key, given]])),
  ),
  cohorts: new Map(
    (await loadCohorts(transaction, projectId)).flatMap(({ id, given }) =>
      given.deleted ? [] : [[String(id), given] as const],
    ),
  ),
  groupTypes: settings.groupTypes,
})

/** The live definitions after a change. */
const applied = (before: Links, change: DefinitionChange, flags: readonly NewFlag[]): Links => {
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

/** Runs a check of a definition; what it throws then names the definition. */
const checking = <Result>(subject: Named, check: () => Result): Result => {
  try {
    return check()
  } catch (error) {
    throw error instanceof DefinitionError ? new LinkError(subject, error) : error
  }
}

const checkAll = (before: Links, after: Links, change: DefinitionChange): void => {
  checkUnused(before, after)
  // Other group types may change what any flag is for.
  const isAny = change.settings?.groupTypes !== undefined
  const isChanged = ({ kind, name }: Named): boolean =>
    kind === 'flag'
      ? isAny || after.flags.get(name) !== before.flags.get(name)
      : after.cohorts.get(name) !== before.cohorts.get(name)
  const all = namesIn(after)
  const changed = all.filter(isChanged)
  for (const named of changed) checking(named, () => checkReferences(named, after))
  // The others are as good as they were; the check takes time that no request is served in.
  const affected = dependentsOf(changed, after)
  const heights = new Map<string, number>()
  // The changed ones first: every circle leads through one of them.
  for (const named of affected) checking(named, () => checkRows(named, after, heights))
  checkEvaluable(before, after, affected, (name, error) => {
    throw new LinkError({ kind: 'flag', name }, error)
  })
}

/**
 * Changes flags and cohorts of a project, all or none. Call it inside a transaction that `touchFlagSettings` began.
 *
 * @param now Milliseconds since 1970.
 * @throws DefinitionError when a project's definitions would be too large together.
 * @throws LinkError for a definition that refers to something that is not there, or to itself.
 * @throws InUseError when another definition needs what would be gone.
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
  // People's enrolment is a property that the flag's key is part of.
  for (const key of [renamed?.from, removedFlag]) {
    const feature = key === undefined ? undefined : featureOf.get(key)
    if (feature !== undefined)
      throw new InUseError(`the early access feature "${feature}" still stands on flag "${key}"`)
  }
  const flags = (change.flags ?? []).map((flag) =>
    checking({ kind: 'flag', name: flag.key }, () => enrolled(flag, featureOf.get(flag.key))),
  )

  const gone = [...flags.filter(({ deleted }) => deleted).map(({ key }) => key), removedFlag ?? []].flat()
  await checkSurveys(transaction, projectId, gone)

  const before = await readLinks(transaction, projectId, settings)
  checkAll(before, applied(before, change, flags), change)

  const sizeBefore = await definitionsSize(transaction, projectId)
  await saveFlagSettings(transaction, projectId, { ...change.settings, lastCohortId })
  if (renamed) await renameFlag(transaction, renamed.id, renamed.to)
  await saveFlags(transaction, projectId, flags, now)
  for (const [id, cohort] of change.cohorts ?? []) await saveCohort(transaction, projectId, id, cohort, now)
  const size = await definitionsSize(transaction, projectId)
  if (size > MOST_CHARACTERS && size > sizeBefore)
    throw new DefinitionError(
      null,
      `all flags and cohorts of the project would have ${size} characters of JSON; at most ${MOST_CHARACTERS}`,
    )
  if (removedFlag !== undefined) await removeFlag(transaction, projectId, removedFlag)
  if (removedCohort !== undefined) await removeCohort(transaction, projectId, removedCohort)
}
