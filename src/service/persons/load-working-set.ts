import type { GroupName } from '../store/metadata/groups.ts'
import { loadGroups, readGroupSizes } from '../store/metadata/groups.ts'
import type { Metadata } from '../store/metadata/open.ts'
import type { MappedPerson } from '../store/metadata/persons.ts'
import { countDistinctIds, findMappedPersons, loadPersons, readPersonSizes } from '../store/metadata/persons.ts'
import type { Change, RowChange } from './change.ts'
import type { Group, Person } from './person.ts'
import { groupKey } from './person.ts'
import { derivePersonId } from './person-id.ts'
import type { PersonWorkingSet } from './apply-change.ts'
import { canMerge } from './can-merge.ts'
import { createWorkingSet, findKeptId } from './apply-change.ts'
import type { PersonCache } from './person-cache.ts'
import type { UnsavedChanges } from './unsaved-changes.ts'

/**
 * Maximum size of stored properties that are read for one transaction, as JSON. Each event may name a stored person of
 * 512 KiB (1 MiB of earlier versions), so a batch of small events may need more persons than fit into memory.
 */
const MAX_READ_BYTES = 16 * 1024 * 1024

/** Changes whose persons and groups are looked up together. */
const CHUNK_CHANGES = 500

/** A working set with the persons and groups of some changes. */
export interface LoadedWorkingSet {
  readonly workingSet: PersonWorkingSet
  /** The changes that the working set covers: all, or the first ones (at least one) when more would exceed the size limit. */
  readonly changes: readonly RowChange[]
}

/**
 * Loads the persons and groups of changes that are not in `cache`, and creates a working set that keeps `cache` up to date.
 *
 * @param unsaved Changes that the metadata does not have yet. The working set adds its merges to them.
 */
export const loadWorkingSet = async (
  metadata: Metadata,
  projectId: number,
  changes: readonly RowChange[],
  cache: PersonCache,
  unsaved: UnsavedChanges,
): Promise<LoadedWorkingSet> => {
  const groups = new Map<string, Group>()
  const counted = new Set<string>()
  let bytes = 0
  let covered = 0
  let isFull = false
  while (covered < changes.length && !isFull) {
    const chunk = changes.slice(covered, covered + CHUNK_CHANGES)
    const stored = await lookUp(metadata, projectId, chunk, cache, unsaved)
    const fitting: RowChange[] = []
    for (const rowChange of chunk) {
      for (const { name, size } of sizesOf(rowChange.change, stored, cache)) {
        if (!counted.has(name)) bytes += size
        counted.add(name)
      }
      isFull = bytes > MAX_READ_BYTES && covered + fitting.length > 0
      if (isFull) break
      fitting.push(rowChange)
    }
    await loadIntoCache(metadata, projectId, distinctIdsIn(fitting), stored, cache)
    await countIdsOfMerges(metadata, projectId, fitting, cache, unsaved)
    for (const group of await loadGroups(metadata, projectId, groupsIn(fitting))) {
      groups.set(groupKey(group.type, group.key), group)
    }
    covered += fitting.length
  }
  for (const [key, group] of unsaved.groups) groups.set(key, group)
  const workingSet = createWorkingSet(cache.personIds, cache.persons, groups, unsaved.mergedInto, cache)
  return { workingSet, changes: changes.slice(0, covered) }
}

/** The distinct ids that changes name. */
export const distinctIdsIn = (changes: readonly RowChange[]): Set<string> => {
  const distinctIds = new Set<string>()
  for (const { change } of changes) for (const distinctId of distinctIdsOf(change)) distinctIds.add(distinctId)
  return distinctIds
}

const distinctIdsOf = (change: Change): string[] => {
  if (change.kind !== 'person') return []
  return change.merge === null ? [change.distinctId] : [change.distinctId, change.merge.fromDistinctId]
}

const groupsIn = (changes: readonly RowChange[]): GroupName[] => {
  const names = new Map<string, GroupName>()
  for (const { change } of changes) if (change.kind === 'group') names.set(groupKey(change.type, change.key), change)
  return [...names.values()]
}

/** Stored persons and groups that are not cached, without their properties. */
interface StoredItems {
  /** By distinct id. */
  readonly persons: ReadonlyMap<string, MappedPerson>
  /** By distinct id: persons created for an id whose row in the map was lost with a damaged page. */
  readonly unmappedPersons: ReadonlyMap<string, MappedPerson>
  /** Size of properties by `groupKey`. */
  readonly groupBytes: ReadonlyMap<string, number>
}

const lookUp = async (
  metadata: Metadata,
  projectId: number,
  changes: readonly RowChange[],
  cache: PersonCache,
  unsaved: UnsavedChanges,
): Promise<StoredItems> => {
  const uncachedIds = [...distinctIdsIn(changes)].filter((distinctId) => !cache.personIds.has(distinctId))
  const mapped = await findMappedPersons(metadata, projectId, uncachedIds)
  // A person that was merged is still stored.
  const toWinner = (person: MappedPerson): MappedPerson => ({
    ...person,
    personId: findKeptId(unsaved, person.personId),
  })
  const persons = new Map(mapped.map((person) => [person.distinctId, toWinner(person)]))
  const unmappedIds = new Map(
    uncachedIds
      .filter((distinctId) => !persons.has(distinctId))
      .map((distinctId) => [derivePersonId(projectId, distinctId), distinctId]),
  )
  const unmappedSizes = await readPersonSizes(metadata, projectId, [...unmappedIds.keys()])
  const groupSizes = await readGroupSizes(metadata, projectId, groupsIn(changes))
  return {
    persons,
    unmappedPersons: new Map(
      unmappedSizes.map(({ id, bytes }) => {
        const distinctId = unmappedIds.get(id)!
        return [distinctId, toWinner({ distinctId, personId: id, bytes })]
      }),
    ),
    groupBytes: new Map(groupSizes.map(({ type, key, bytes }) => [groupKey(type, key), bytes])),
  }
}

/** The stored size of each person and group of a change; new ones have none. */
const sizesOf = (
  change: Change,
  stored: StoredItems,
  cache: PersonCache,
): { readonly name: string; readonly size: number }[] => {
  if (change.kind === 'group') {
    const name = groupKey(change.type, change.key)
    return [{ name, size: stored.groupBytes.get(name) ?? 0 }]
  }
  return distinctIdsOf(change).flatMap((distinctId) => {
    const person = stored.persons.get(distinctId) ?? stored.unmappedPersons.get(distinctId)
    if (person !== undefined) return [{ name: person.personId, size: person.bytes }]
    const name = cache.personIds.get(distinctId)
    return name === undefined ? [] : [{ name, size: cache.propertyBytes.get(name) ?? 0 }]
  })
}

const loadIntoCache = async (
  metadata: Metadata,
  projectId: number,
  distinctIds: Iterable<string>,
  { persons, unmappedPersons }: StoredItems,
  cache: PersonCache,
): Promise<void> => {
  const missing = new Map<string, number>()
  for (const distinctId of distinctIds) {
    const mapped = persons.get(distinctId)
    const person = mapped ?? unmappedPersons.get(distinctId)
    if (person === undefined) continue
    if (mapped !== undefined) cache.personIds.set(distinctId, mapped.personId)
    if (!cache.persons.has(person.personId)) missing.set(person.personId, person.bytes)
  }
  for (const person of await loadPersons(metadata, projectId, [...missing.keys()])) {
    cache.persons.set(person.id, person)
    cache.propertyBytes.set(person.id, missing.get(person.id)!)
  }
}

/** Counts the distinct ids of persons that may be merged: of two large ones, until it is clear which one has more. */
const countIdsOfMerges = async (
  metadata: Metadata,
  projectId: number,
  changes: readonly RowChange[],
  { personIds, persons, idCounts, maxMovedIds }: PersonCache,
  unsaved: UnsavedChanges,
): Promise<void> => {
  const find = (distinctId: string): Person | undefined => {
    const id = personIds.get(distinctId)
    return id === undefined ? undefined : persons.get(findKeptId(unsaved, id))
  }
  const merges = changes.flatMap(({ change }) =>
    change.kind === 'person' && change.merge !== null
      ? [{ loser: find(change.merge.fromDistinctId), winner: find(change.distinctId), kind: change.merge.kind }]
      : [],
  )
  const count = async (ids: readonly string[], limit: number): Promise<void> => {
    const counted = await countDistinctIds(metadata, projectId, ids, limit)
    for (const each of counted) idCounts.set(each.id, Math.max(each.count, idCounts.get(each.id) ?? 1))
    // New persons, whose ids are counted as they are added.
    for (const id of ids) if (!idCounts.has(id)) idCounts.set(id, 1)
  }
  const uncounted = new Set<string>()
  for (const { loser, winner } of merges)
    for (const person of [loser, winner]) if (person && !idCounts.has(person.id)) uncounted.add(person.id)
  if (uncounted.size > 0) await count([...uncounted], maxMovedIds + 1)

  const isLarge = ({ id }: Person): boolean => (idCounts.get(id) ?? 1) > maxMovedIds
  const pairs = new Map<string, readonly [string, string]>()
  for (const { loser, winner, kind } of merges) {
    if (loser === undefined || winner === undefined || loser.id === winner.id) continue
    if (isLarge(loser) && isLarge(winner) && canMerge(loser, winner, kind))
      pairs.set(`${loser.id} ${winner.id}`, [loser.id, winner.id])
  }
  for (const pair of pairs.values())
    for (let limit = maxMovedIds + 1; pair.every((id) => idCounts.get(id)! >= limit);) {
      limit *= COUNT_FACTOR
      await count(pair, limit)
    }
}

/** Factor by which more ids are counted in each step. */
const COUNT_FACTOR = 8
