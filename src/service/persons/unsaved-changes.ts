import type { Metadata } from '../store/metadata/open.ts'
import { mapGroupTypes } from '../store/metadata/group-types.ts'
import { saveGroups } from '../store/metadata/groups.ts'
import { inTransaction } from '../store/metadata/in-transaction.ts'
import type { PersonProgress } from '../store/metadata/person-progress.ts'
import { savePersonProgress } from '../store/metadata/person-progress.ts'
import { savePersons } from '../store/metadata/persons.ts'
import type { PersonWorkingSet } from './apply-change.ts'
import { findPersonId, findKeptId } from './apply-change.ts'
import type { Group } from './person.ts'
import type { PersonCache } from './person-cache.ts'
import type { PropertyWrite } from './plan-write.ts'
import { joinWrites } from './plan-write.ts'

/**
 * Changes that are applied to the persons in memory and not yet written to the metadata. They are written together, because a transaction
 * of SQLite costs milliseconds, and a person who is changed several times is then written once.
 */
export interface UnsavedChanges {
  /** How persons that are new or differ from the stored ones are written, by id. They are in the cache. */
  readonly persons: Map<string, PropertyWrite>
  /** Distinct ids that have no row yet. They are in the cache. */
  readonly distinctIds: Set<string>
  /** `PersonWorkingSet.mergedInto`. */
  readonly mergedInto: Map<string, string>
  /** By `groupKey`. */
  readonly groups: Map<string, Group>
  /** How the groups are written, by `groupKey`. */
  readonly groupWrites: Map<string, PropertyWrite>
  /** Size of the groups' properties as JSON, by `groupKey`. */
  readonly groupBytes: Map<string, number>
  /** Group types that get an index. */
  readonly groupTypes: Set<string>
}

export const createUnsavedChanges = (): UnsavedChanges => ({
  persons: new Map(),
  distinctIds: new Set(),
  mergedInto: new Map(),
  groups: new Map(),
  groupWrites: new Map(),
  groupBytes: new Map(),
  groupTypes: new Set(),
})

/** Number of rows to write. */
export const countUnsaved = ({ persons, distinctIds, mergedInto, groups, groupTypes }: UnsavedChanges): number =>
  persons.size + distinctIds.size + mergedInto.size + groups.size + groupTypes.size

/** Maximum size of groups that wait, as JSON. Unlike persons, they are not part of the cache. */
const MAX_GROUP_BYTES = 16 * 1024 * 1024

/** Whether the groups need so much memory that they must be written. */
export const hasLargeGroups = ({ groupBytes }: UnsavedChanges): boolean => {
  let bytes = 0
  for (const size of groupBytes.values()) bytes += size
  return bytes > MAX_GROUP_BYTES
}

/**
 * Adds the changes of a working set, whose merges are in `unsaved` already.
 *
 * @param removed Ids of persons that the working set merged into others.
 * @param groupTypes Group types that get an index.
 */
export const addUnsaved = (
  unsaved: UnsavedChanges,
  { changedPersons, newDistinctIds, changedGroups, groups, writes }: PersonWorkingSet,
  removed: readonly string[],
  groupTypes: readonly string[],
): void => {
  for (const id of changedPersons)
    unsaved.persons.set(id, joinWrites(unsaved.persons.get(id), writes.get(id) ?? 'whole'))
  for (const id of removed) unsaved.persons.delete(id)
  for (const distinctId of newDistinctIds) unsaved.distinctIds.add(distinctId)
  for (const key of changedGroups) {
    const group = groups.get(key)!
    unsaved.groups.set(key, group)
    unsaved.groupWrites.set(key, joinWrites(unsaved.groupWrites.get(key), writes.get(key) ?? 'whole'))
    unsaved.groupBytes.set(key, group.stored?.bytes ?? Buffer.byteLength(JSON.stringify(group.properties)))
  }
  for (const type of groupTypes) unsaved.groupTypes.add(type)
}

/**
 * Writes the changes in one transaction, that of the caller if there is one, with the progress that covers them. Afterwards nothing is
 * unsaved.
 */
export const writeUnsaved = async (
  metadata: Metadata,
  nodeId: string,
  projectId: number,
  unsaved: UnsavedChanges,
  { personIds, persons }: PersonCache,
  progress: PersonProgress,
): Promise<void> => {
  const merges = { mergedInto: unsaved.mergedInto, personIds }
  await inTransaction(metadata, async (transaction) => {
    await savePersonProgress(transaction, nodeId, projectId, progress)
    await savePersons(transaction, projectId, {
      merges: [...unsaved.mergedInto.keys()].map((removed) => [removed, findKeptId(merges, removed)]),
      persons: [...unsaved.persons.keys()].map((id) => persons.get(id)!),
      propertyWrites: unsaved.persons,
      newDistinctIds: [...unsaved.distinctIds].map((distinctId) => [distinctId, findPersonId(merges, distinctId)!]),
    })
    await saveGroups(transaction, projectId, [...unsaved.groups.values()], unsaved.groupWrites)
    if (unsaved.groupTypes.size > 0) await mapGroupTypes(transaction, projectId, [...unsaved.groupTypes])
  })
  // Ids that merges removed, which later batches would not know to be merged.
  if (unsaved.mergedInto.size > 0)
    for (const [distinctId, id] of personIds)
      if (unsaved.mergedInto.has(id)) personIds.set(distinctId, findKeptId(merges, id))
  for (const part of Object.values(unsaved)) part.clear()
}
