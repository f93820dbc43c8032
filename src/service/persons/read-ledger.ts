import type { GroupName } from '../store/metadata/groups.ts'
import { loadGroups, sizesOfGroups } from '../store/metadata/groups.ts'
import type { Metadata } from '../store/metadata/open.ts'
import type { FoundPerson } from '../store/metadata/persons.ts'
import { findPersons, loadPersons, sizesOfPersons } from '../store/metadata/persons.ts'
import type { Change, RowChange } from './change.ts'
import type { Group, Person } from './person.ts'
import { personId } from './person-id.ts'
import type { PersonLedger } from './resolve.ts'
import { groupKey, openLedger } from './resolve.ts'

/**
 * Most bytes of stored properties, as JSON, that are read for one transaction. Each event may name a person of 1 MiB that
 * earlier events made, so events that fit into memory may speak of persons that do not.
 */
const MOST_READ_BYTES = 16 * 1024 * 1024

/** Changes whose persons and groups are looked up at once. */
const LOOKED_UP = 500

/** Persons that are remembered. */
export interface KnownPersons {
  /** Distinct id to person id. */
  readonly personOf: Map<string, string>
  /** By person id. */
  readonly persons: Map<string, Person>
  /** Person id to bytes of properties as JSON; those who have none may be left out. */
  readonly bytes: Map<string, number>
}

/** A ledger with all that some changes speak of. */
export interface ReadLedger {
  readonly ledger: PersonLedger
  /** The changes that the ledger is for: all, or the first of them (at least one) where more would be too much at once. */
  readonly changes: readonly RowChange[]
}

/** Reads what changes speak of and is not yet known, and opens a ledger that keeps `known` up to date. */
export const readLedger = async (
  metadata: Metadata,
  projectId: number,
  changes: readonly RowChange[],
  known: KnownPersons,
): Promise<ReadLedger> => {
  const groups = new Map<string, Group>()
  const counted = new Set<string>()
  let bytes = 0
  let taken = 0
  let isFull = false
  while (taken < changes.length && !isFull) {
    const slice = changes.slice(taken, taken + LOOKED_UP)
    const stored = await lookUp(metadata, projectId, slice, known)
    const fits: RowChange[] = []
    for (const one of slice) {
      for (const { name, size } of sizesOf(one.change, stored, known)) {
        if (!counted.has(name)) bytes += size
        counted.add(name)
      }
      isFull = bytes > MOST_READ_BYTES && taken + fits.length > 0
      if (isFull) break
      fits.push(one)
    }
    await loadPersonsOf(metadata, projectId, idsIn(fits), stored, known)
    for (const group of await loadGroups(metadata, projectId, groupsIn(fits))) {
      groups.set(groupKey(group.type, group.key), group)
    }
    taken += fits.length
  }
  return { ledger: openLedger(known.personOf, known.persons, groups), changes: changes.slice(0, taken) }
}

/** The distinct ids that changes speak of. */
export const idsIn = (changes: readonly RowChange[]): Set<string> =>
  new Set(changes.flatMap(({ change }) => idsOf(change)))

const idsOf = (change: Change): string[] => {
  if (change.kind !== 'person') return []
  return change.join === null ? [change.distinctId] : [change.distinctId, change.join.from]
}

const groupsIn = (changes: readonly RowChange[]): GroupName[] => {
  const names = new Map<string, GroupName>()
  for (const { change } of changes) if (change.kind === 'group') names.set(groupKey(change.type, change.key), change)
  return [...names.values()]
}

/** What is stored and not yet known, without the properties. */
interface Stored {
  /** By distinct id. */
  readonly persons: ReadonlyMap<string, FoundPerson>
  /** By distinct id: persons that were made for an id that nothing says is theirs any more (a damaged page was lost). */
  readonly strays: ReadonlyMap<string, FoundPerson>
  /** Bytes of properties by `groupKey`. */
  readonly groups: ReadonlyMap<string, number>
}

const lookUp = async (
  metadata: Metadata,
  projectId: number,
  changes: readonly RowChange[],
  known: KnownPersons,
): Promise<Stored> => {
  const unknown = [...idsIn(changes)].filter((distinctId) => !known.personOf.has(distinctId))
  const persons = await findPersons(metadata, projectId, unknown)
  const byId = new Map(persons.map((person) => [person.distinctId, person]))
  const without = new Map(
    unknown
      .filter((distinctId) => !byId.has(distinctId))
      .map((distinctId) => [personId(projectId, distinctId), distinctId]),
  )
  const strays = await sizesOfPersons(metadata, projectId, [...without.keys()])
  const groups = await sizesOfGroups(metadata, projectId, groupsIn(changes))
  return {
    persons: byId,
    strays: new Map(
      strays.map(({ id, bytes }) => {
        const distinctId = without.get(id)!
        return [distinctId, { distinctId, personId: id, bytes }]
      }),
    ),
    groups: new Map(groups.map(({ type, key, bytes }) => [groupKey(type, key), bytes])),
  }
}

/** How much each person and group of a change has stored; nothing for those that are new. */
const sizesOf = (
  change: Change,
  stored: Stored,
  known: KnownPersons,
): { readonly name: string; readonly size: number }[] => {
  if (change.kind === 'group') {
    const name = groupKey(change.type, change.key)
    return [{ name, size: stored.groups.get(name) ?? 0 }]
  }
  return idsOf(change).flatMap((distinctId) => {
    const found = stored.persons.get(distinctId) ?? stored.strays.get(distinctId)
    if (found !== undefined) return [{ name: found.personId, size: found.bytes }]
    const name = known.personOf.get(distinctId)
    return name === undefined ? [] : [{ name, size: known.bytes.get(name) ?? 0 }]
  })
}

const loadPersonsOf = async (
  metadata: Metadata,
  projectId: number,
  distinctIds: Iterable<string>,
  { persons, strays }: Stored,
  known: KnownPersons,
): Promise<void> => {
  const missing = new Map<string, number>()
  for (const distinctId of distinctIds) {
    const mapped = persons.get(distinctId)
    const person = mapped ?? strays.get(distinctId)
    if (person === undefined) continue
    if (mapped !== undefined) known.personOf.set(distinctId, mapped.personId)
    if (!known.persons.has(person.personId)) missing.set(person.personId, person.bytes)
  }
  for (const person of await loadPersons(metadata, projectId, [...missing.keys()])) {
    known.persons.set(person.id, person)
    known.bytes.set(person.id, missing.get(person.id)!)
  }
}
