import type { Metadata } from '../store/metadata/open.ts'
import type { PersonCopyUpdate } from '../store/events/event-store.ts'
import { NO_PERSON_UPDATE } from '../store/events/event-store.ts'
import { mapGroupTypes, MAX_GROUP_TYPES_FROM_EVENTS, findUnmappedGroupTypes } from '../store/metadata/group-types.ts'
import { saveGroups } from '../store/metadata/groups.ts'
import type { PersonProgress } from '../store/metadata/person-progress.ts'
import { readPersonProgress, savePersonProgress } from '../store/metadata/person-progress.ts'
import { listDistinctIds, savePersons } from '../store/metadata/persons.ts'
import type { RowPosition } from '../store/row-position.ts'
import { positionBeforeEvent, coversEvent, isBeyond } from '../store/row-position.ts'
import type { RowChange } from './change.ts'
import { derivePersonId } from './person-id.ts'
import { MAX_PROPERTY_BYTES } from './property-draft.ts'
import type { CachedPersons } from './load-working-set.ts'
import { distinctIdsIn, loadWorkingSet } from './load-working-set.ts'
import type { PersonWorkingSet } from './apply-change.ts'
import { groupKey, findPersonId, applyChange, applyDrafts, findWinner } from './apply-change.ts'

/** The result of `PersonUpdater.apply`. */
export interface AppliedChanges {
  /** The new state of all persons and groups that the changes name, for the event store. */
  readonly persons: PersonCopyUpdate
  /** The position up to which events may be stored with it: `end`, or less when only the first changes were applied. */
  readonly position: RowPosition
}

/** Applies the changes of events to persons and groups in the metadata, for all projects. */
export interface PersonUpdater {
  /**
   * Applies the changes of a batch of events, in order, in one metadata transaction with the position that covers them.
   * Changes that an earlier run applied before it was killed are not applied again. If the persons and groups of the batch
   * exceed the size limit, only the first changes are applied; call it again with those after the resulting position.
   *
   * @param end the position after the whole batch.
   */
  apply(projectId: number, changes: readonly RowChange[], end: RowPosition): Promise<AppliedChanges>
}

/** Maximum number of distinct ids of one project that are cached between batches. */
const MAX_CACHED_IDS = 20_000

/** Maximum size of the cached persons' properties of one project, as JSON. */
const MAX_CACHED_BYTES = 16 * 1024 * 1024

/**
 * Creates the updater. It caches persons between batches, because most events come from recently seen persons; that is
 * safe because only the indexer writes persons. A failed batch clears the cache of its project.
 *
 * @param warn receives a message for each change that was dropped because properties would become too large. It also gets one
 * message for each project with more group types than events may give an index.
 */
export const createPersonUpdater = (
  metadata: Metadata,
  warn: (message: string) => void = () => undefined,
): PersonUpdater => {
  const caches = new Map<number, CachedPersons>()
  const warnedOfTypes = new Set<number>()
  return {
    async apply(projectId, allChanges, end) {
      if (allChanges.length === 0) return { persons: NO_PERSON_UPDATE, position: end }
      const cache = caches.get(projectId) ?? { personIds: new Map(), persons: new Map(), propertyBytes: new Map() }
      caches.delete(projectId)
      const { position: appliedPosition, revision } = await readPersonProgress(metadata, projectId)
      const { workingSet, changes } = await loadWorkingSet(metadata, projectId, allChanges, cache)
      const nextChange = allChanges[changes.length]
      const reachedPosition = nextChange === undefined ? end : positionBeforeEvent(nextChange)
      for (const rowChange of changes) {
        if (!coversEvent(appliedPosition, rowChange))
          applyChange(workingSet, rowChange.change, rowChange.timestampMs, (distinctId) =>
            derivePersonId(projectId, distinctId),
          )
      }
      for (const [id, { bytes }] of workingSet.drafts) {
        if (workingSet.persons.has(id)) cache.propertyBytes.set(id, bytes)
      }
      applyDrafts(workingSet)
      // Read before the transaction moves them to the winners.
      const movedIds = await listDistinctIds(metadata, projectId, [...workingSet.mergedInto.keys()])
      const { accepted, refused } = await findUnmappedGroupTypes(metadata, projectId, groupTypesIn(changes))
      // An earlier run may have applied more changes than this one.
      const position = isBeyond(appliedPosition, reachedPosition) ? appliedPosition : reachedPosition
      const progress = { position, revision: revision + 1 }
      const isWritten = await saveWorkingSet(metadata, projectId, workingSet, progress, accepted)
      if (refused.length > 0 && !warnedOfTypes.has(projectId)) {
        warnedOfTypes.add(projectId)
        warn(
          `Group type ${JSON.stringify(refused[0])} of project ${projectId} has no index, so no flag can use it: events give ` +
            `an index to the first ${MAX_GROUP_TYPES_FROM_EVENTS} types only. POST it to /api/environments/${projectId}/groups_types/.`,
        )
      }
      for (const warning of workingSet.warnings) {
        warn(`${warning} (project ${projectId}): the properties would exceed ${MAX_PROPERTY_BYTES} bytes.`)
      }
      const replayed = changes.filter((change) => coversEvent(appliedPosition, change))
      const update = await createCopyUpdate(metadata, projectId, workingSet, movedIds, replayed)
      const persons = { ...update, revision: isWritten ? revision + 1 : revision }
      // A merge makes cached ids stale. Merges are rare, so the cache is dropped instead of updated.
      if (workingSet.mergedInto.size === 0 && fitsCache(cache)) caches.set(projectId, cache)
      return { persons, position: reachedPosition }
    },
  }
}

const fitsCache = ({ personIds, propertyBytes }: CachedPersons): boolean => {
  let totalBytes = 0
  for (const bytes of propertyBytes.values()) totalBytes += bytes
  return personIds.size <= MAX_CACHED_IDS && totalBytes <= MAX_CACHED_BYTES
}

/** The group types that changes name, in the order of their first event. */
const groupTypesIn = (changes: readonly RowChange[]): string[] => [
  ...new Set(changes.flatMap(({ change }) => (change.kind === 'group' ? [change.type] : []))),
]

/** Writes the changes of a working set; resolves to whether there were any. */
const saveWorkingSet = async (
  metadata: Metadata,
  projectId: number,
  workingSet: PersonWorkingSet,
  progress: PersonProgress,
  newTypes: readonly string[],
): Promise<boolean> => {
  const { changedPersons, newDistinctIds, mergedInto, changedGroups } = workingSet
  const isUnchanged =
    changedPersons.size + newDistinctIds.size + mergedInto.size + changedGroups.size + newTypes.length === 0
  // Without a change, a replay has nothing to apply twice, so the position needs no commit.
  if (isUnchanged) return false
  await metadata.transaction().execute(async (transaction) => {
    await savePersonProgress(transaction, projectId, progress)
    await savePersons(transaction, projectId, {
      merges: [...mergedInto.keys()].map((loser) => [loser, findWinner(workingSet, loser)]),
      persons: [...changedPersons].map((id) => workingSet.persons.get(id)!),
      newDistinctIds: [...newDistinctIds].map((distinctId) => [distinctId, findPersonId(workingSet, distinctId)!]),
    })
    await saveGroups(
      transaction,
      projectId,
      [...changedGroups].map((key) => workingSet.groups.get(key)!),
    )
    if (newTypes.length > 0) await mapGroupTypes(transaction, projectId, newTypes)
  })
  return true
}

/**
 * The persons and groups that the event store must update: those that changed, and those that replayed changes name. An
 * earlier run may have merged persons, which the working set no longer shows. So all distinct ids of a replayed person are
 * included.
 *
 * @param movedIds distinct ids of merged persons, with the person ids they had before.
 */
const createCopyUpdate = async (
  metadata: Metadata,
  projectId: number,
  workingSet: PersonWorkingSet,
  movedIds: readonly (readonly [distinctId: string, personId: string])[],
  replayed: readonly RowChange[],
): Promise<PersonCopyUpdate> => {
  const copiedPersons = new Set(workingSet.changedPersons)
  const copiedGroups = new Set(workingSet.changedGroups)
  const replayedPersons = new Set<string>()
  for (const distinctId of distinctIdsIn(replayed)) {
    const id = findPersonId(workingSet, distinctId)
    if (id !== undefined) replayedPersons.add(id)
  }
  for (const { change } of replayed) if (change.kind === 'group') copiedGroups.add(groupKey(change.type, change.key))
  for (const id of replayedPersons) copiedPersons.add(id)
  const distinctIds = new Map(await listDistinctIds(metadata, projectId, [...replayedPersons]))
  for (const [distinctId, loser] of movedIds) distinctIds.set(distinctId, findWinner(workingSet, loser))
  for (const distinctId of workingSet.newDistinctIds) distinctIds.set(distinctId, findPersonId(workingSet, distinctId)!)
  return {
    persons: [...copiedPersons].flatMap((id) => workingSet.persons.get(id) ?? []),
    distinctIds,
    groups: [...copiedGroups].flatMap((key) => workingSet.groups.get(key) ?? []),
  }
}
