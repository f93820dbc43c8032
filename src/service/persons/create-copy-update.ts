import type { Metadata } from '../store/metadata/open.ts'
import type { PersonCopyUpdate } from '../store/events/event-store.ts'
import { listDistinctIds } from '../store/metadata/persons.ts'
import type { PersonWorkingSet } from './apply-change.ts'
import { findPersonId, findKeptId } from './apply-change.ts'
import type { RowChange } from './change.ts'
import { distinctIdsIn } from './load-working-set.ts'
import { groupKey } from './person.ts'
import type { UnsavedChanges } from './unsaved-changes.ts'

/**
 * The distinct ids whose person was merged into another, with that other person.
 *
 * @param moved `ResolvedChanges.moved`.
 */
export const listMovedIds = async (
  metadata: Metadata,
  projectId: number,
  workingSet: PersonWorkingSet,
  moved: readonly string[],
  unsaved: UnsavedChanges,
): Promise<(readonly [distinctId: string, personId: string])[]> => {
  if (moved.length === 0) return []
  const movedPersons = new Set(moved)
  const stored = await listDistinctIds(metadata, projectId, moved)
  const movedIds = stored.map(([distinctId, id]) => [distinctId, findKeptId(workingSet, id)] as const)
  for (const distinctId of unsaved.distinctIds) {
    const id = workingSet.personIds.get(distinctId)!
    if (movedPersons.has(id)) movedIds.push([distinctId, findKeptId(workingSet, id)])
  }
  return movedIds
}

/**
 * The persons and groups that the event store must update: those that changed, and those that replayed changes name. An
 * earlier run may have merged persons, which the working set no longer shows. So all distinct ids of a replayed person are
 * included.
 *
 * @param movedIds distinct ids of merged persons, with the persons they have now.
 */
export const createCopyUpdate = async (
  metadata: Metadata,
  projectId: number,
  workingSet: PersonWorkingSet,
  movedIds: readonly (readonly [distinctId: string, personId: string])[],
  replayed: readonly RowChange[],
): Promise<PersonCopyUpdate> => {
  const copiedPersons = new Set(workingSet.changedPersons)
  const copiedGroups = new Set(workingSet.changedGroups)
  const replayedPersons = new Set<string>()
  const changedNames = new Map<string, ReadonlySet<string>>()
  for (const [key, write] of workingSet.writes) if (typeof write !== 'string') changedNames.set(key, write)
  for (const distinctId of distinctIdsIn(replayed)) {
    const id = findPersonId(workingSet, distinctId)
    if (id !== undefined) replayedPersons.add(id)
  }
  const replayedGroups = replayed.flatMap(({ change }) =>
    change.kind === 'group' ? [groupKey(change.type, change.key)] : [],
  )
  for (const id of replayedPersons) copiedPersons.add(id)
  for (const key of replayedGroups) copiedGroups.add(key)
  // The store may lack earlier changes of these.
  for (const key of [...replayedPersons, ...replayedGroups]) changedNames.delete(key)
  const distinctIds = new Map(await listDistinctIds(metadata, projectId, [...replayedPersons]))
  for (const [distinctId, id] of movedIds) distinctIds.set(distinctId, id)
  for (const distinctId of workingSet.newDistinctIds) distinctIds.set(distinctId, findPersonId(workingSet, distinctId)!)
  return {
    persons: [...copiedPersons].flatMap((id) => workingSet.persons.get(id) ?? []),
    distinctIds,
    groups: [...copiedGroups].flatMap((key) => workingSet.groups.get(key) ?? []),
    changedNames,
    // An earlier run may have merged persons that had changes.
    ...(replayed.length === 0 && { changedBefore: workingSet.changedBefore }),
  }
}
