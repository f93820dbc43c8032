import { GEO_PROPERTIES, INITIAL_GEO_PROPERTIES } from '../geo/geo-lookup.ts'
import type { Change, PersonMerge } from './change.ts'
import { canMerge } from './can-merge.ts'
import { createPersonCache } from './person-cache.ts'
import type { PersonCache } from './person-cache.ts'
import { groupKey, publicIdOf } from './person.ts'
import type { Group, Person } from './person.ts'
import type { DraftOutcome, PropertyChange, PropertyDraft } from './property-draft.ts'
import type { PropertyWrite } from './plan-write.ts'
import { planWrite } from './plan-write.ts'
import { wouldChange, applyToDraft, readDraft, mergeDrafts, createDraft } from './property-draft.ts'

/**
 * The persons and groups that a batch of events names, and the changes that the batch makes to them. Call `applyDrafts` at
 * the end of the batch; only then `persons` and `groups` have their new properties.
 */
export interface PersonWorkingSet {
  /** Distinct id to person id as stored or added; read it through `findPersonId`, which follows merges. */
  readonly personIds: Map<string, string>
  readonly persons: Map<string, Person>
  readonly groups: Map<string, Group>
  /** Properties that the batch changes, by person id or `groupKey` (which never looks like a uuid). */
  readonly drafts: Map<string, PropertyDraft>
  /** Ids of persons that are new or differ from the stored ones. */
  readonly changedPersons: Set<string>
  /** Distinct ids that had no person before. */
  readonly newDistinctIds: Set<string>
  /** Each person id that a merge removed, with the one it kept, which a later merge may have removed: use `findKeptId`. */
  readonly mergedInto: Map<string, string>
  /** See `PersonCache.idCounts`. */
  readonly idCounts: Map<string, number>
  /** See `MAX_MOVED_IDS`. */
  readonly maxMovedIds: number
  /** See `MIN_BASE_BYTES`. */
  readonly minBaseBytes: number
  /** How `applyDrafts` wants changed properties to be written, by person id or `groupKey`; missing for `whole`. */
  readonly writes: Map<string, PropertyWrite>
  /** Keys of persons and groups that may have changes beside a base, which count no more: see `PersonCopyUpdate.changedBefore`. */
  readonly changedBefore: Set<string>
  /** Keys (`groupKey`) of groups that are new or differ from the stored ones. */
  readonly changedGroups: Set<string>
  /** Messages about properties that were left out because a person or group would have too many. */
  readonly warnings: Set<string>
}

/**
 * Creates a working set over persons and groups of the metadata. It changes the maps it gets.
 *
 * @param mergedInto The merges of earlier batches that the metadata does not have yet. Default: none.
 * @param cache The cache that has the persons. Default: a new one.
 */
export const createWorkingSet = (
  personIds: Map<string, string>,
  persons: Map<string, Person>,
  groups: Map<string, Group>,
  mergedInto: Map<string, string> = new Map(),
  cache: Pick<PersonCache, 'idCounts' | 'maxMovedIds' | 'minBaseBytes'> = createPersonCache(),
): PersonWorkingSet => ({
  personIds,
  persons,
  groups,
  drafts: new Map(),
  changedPersons: new Set(),
  newDistinctIds: new Set(),
  mergedInto,
  idCounts: cache.idCounts,
  maxMovedIds: cache.maxMovedIds,
  minBaseBytes: cache.minBaseBytes,
  writes: new Map(),
  changedBefore: new Set(),
  changedGroups: new Set(),
  warnings: new Set(),
})

/** The id of the person that a distinct id belongs to after the merges so far. */
export const findPersonId = (
  workingSet: Pick<PersonWorkingSet, 'personIds' | 'mergedInto'>,
  distinctId: string,
): string | undefined => {
  const id = workingSet.personIds.get(distinctId)
  return id === undefined ? undefined : findKeptId(workingSet, id)
}

/** The id of a person after all merges: the one that the last merge kept, or the person's own id. */
export const findKeptId = ({ mergedInto }: Pick<PersonWorkingSet, 'mergedInto'>, id: string): string => {
  let keptId = id
  for (let nextId = mergedInto.get(id); nextId !== undefined; nextId = mergedInto.get(nextId)) keptId = nextId
  // Shortens the chain, so that each removed id points to the last kept one and a long chain is followed only once.
  for (let current = id; current !== keptId;) {
    const nextId = mergedInto.get(current)!
    mergedInto.set(current, keptId)
    current = nextId
  }
  return keptId
}

/** Writes the properties of the drafts into the changed persons and groups, and decides how each is to be written. */
export const applyDrafts = (workingSet: PersonWorkingSet): void => {
  const { drafts, persons, groups, changedPersons, changedGroups } = workingSet
  for (const id of changedPersons) persons.set(id, applyDraft(workingSet, id, persons.get(id)!))
  for (const key of changedGroups) groups.set(key, applyDraft(workingSet, key, groups.get(key)!))
  drafts.clear()
}

const applyDraft = <Item extends Person | Group>(
  { drafts, writes, changedBefore, minBaseBytes }: PersonWorkingSet,
  key: string,
  item: Item,
): Item => {
  const draft = drafts.get(key)
  if (draft === undefined && item.stored === undefined) return item
  const properties = draft === undefined ? item.properties : readDraft(draft)
  const { bytes, changedNames } = draft ?? { bytes: item.stored!.bytes, changedNames: NO_NAMES }
  const { write, stored } = planWrite({ stored: item.stored, properties, bytes, changedNames }, minBaseBytes)
  writes.set(key, write)
  if (typeof write === 'string' && mayHaveChanges(item, minBaseBytes)) changedBefore.add(key)
  return { ...item, properties, stored }
}

/** The metadata may have folded changes that the event store has, so that a large base is enough. */
const mayHaveChanges = ({ stored }: Pick<Person | Group, 'stored'>, minBaseBytes: number): boolean =>
  stored !== undefined && (stored.changeBytes > 0 || stored.baseBytes >= minBaseBytes)

const NO_NAMES: ReadonlySet<string> = new Set()

/**
 * Applies the change of one event to the working set.
 *
 * @param timestampMs when the event happened, in milliseconds since 1970.
 * @param createId returns the id of the person that is created for a distinct id (`derivePersonId`).
 */
export const applyChange = (
  workingSet: PersonWorkingSet,
  change: Change,
  timestampMs: number,
  createId: (distinctId: string) => string,
): void => {
  if (change.kind === 'person') applyPersonChange(workingSet, change, timestampMs, createId)
  if (change.kind === 'group') applyGroupChange(workingSet, change, timestampMs)
}

const applyPersonChange = (
  workingSet: PersonWorkingSet,
  change: Extract<Change, { kind: 'person' }>,
  timestampMs: number,
  createId: (distinctId: string) => string,
): void => {
  const { distinctId, merge } = change
  repairMapping(workingSet, distinctId, timestampMs, createId)
  if (merge !== null) {
    repairMapping(workingSet, merge.fromDistinctId, timestampMs, createId)
    mergePersons(workingSet, merge, distinctId)
  }
  const id = findPersonId(workingSet, distinctId) ?? createId(distinctId)
  addDistinctId(workingSet, distinctId, id)
  if (merge !== null && addDistinctId(workingSet, merge.fromDistinctId, id)) countId(workingSet, id)
  const before = workingSet.persons.get(id)
  const isIdentified = (before?.isIdentified ?? false) || change.identifies
  const createdAt = Math.min(before?.createdAt ?? timestampMs, timestampMs)
  if (isIdentified !== before?.isIdentified || createdAt !== before.createdAt) {
    workingSet.persons.set(id, { id, properties: {}, ...before, createdAt, isIdentified })
    workingSet.changedPersons.add(id)
  }
  const outcome = draftChange(workingSet, id, before ?? EMPTY, change)
  if (outcome.isChanged) workingSet.changedPersons.add(id)
  if (outcome.dropped.length > 0)
    workingSet.warnings.add(`Properties of person ${publicIdOf({ id, ...workingSet.persons.get(id) })} were left out`)
}

/**
 * Repairs a distinct id after a salvage that lost rows. An id without a mapping gets back the person created for it. A
 * mapping without a person gets the person back, so that all ids of the lost person stay together.
 */
const repairMapping = (
  workingSet: PersonWorkingSet,
  distinctId: string,
  timestampMs: number,
  createId: (distinctId: string) => string,
): void => {
  const id = findPersonId(workingSet, distinctId)
  if (id === undefined) {
    const ownId = createId(distinctId)
    if (workingSet.persons.has(findKeptId(workingSet, ownId))) addDistinctId(workingSet, distinctId, ownId)
  } else if (!workingSet.persons.has(id)) {
    workingSet.persons.set(id, { id, properties: {}, createdAt: timestampMs, isIdentified: false })
    workingSet.changedPersons.add(id)
  }
}

/** Property names that belong together: `mergeDrafts` keeps all of the winner or all of the loser. */
const LOCATION_NAMES = [GEO_PROPERTIES, INITIAL_GEO_PROPERTIES]

/** Dropped properties that a warning names. */
const MAX_LISTED_NAMES = 5

const describeDropped = (names: readonly string[], loser: string, winner: string): string => {
  const listed = names.slice(0, MAX_LISTED_NAMES).map((name) => JSON.stringify(name.slice(0, 100)))
  const more = names.length > MAX_LISTED_NAMES ? ` and ${names.length - MAX_LISTED_NAMES} more` : ''
  return `When person ${loser} was merged into person ${winner}, ${listed.join(', ')}${more} of the former was dropped`
}

/**
 * Whether the ids of the person that stays are moved to the id of the one that is merged, because they are fewer. So a merge costs no more
 * than the ids that it adds to a large person, and all merges together cost no more than the logarithm of the ids for each of them.
 * Where few ids would move either way, large properties stay where they are.
 */
const movesWinner = (workingSet: PersonWorkingSet, loser: Person, winner: Person): boolean => {
  const { idCounts, maxMovedIds, minBaseBytes } = workingSet
  const [loserCount, winnerCount] = [idCounts.get(loser.id) ?? 1, idCounts.get(winner.id) ?? 1]
  if (Math.max(loserCount, winnerCount) > maxMovedIds) return loserCount > winnerCount
  const [loserBytes, winnerBytes] = [loser.stored?.baseBytes ?? 0, winner.stored?.baseBytes ?? 0]
  return loserBytes >= minBaseBytes && loserBytes > winnerBytes
}

/**
 * Merges the person of `fromDistinctId` into the person of `distinctId`. If only the former exists, it gets `distinctId`. Does
 * nothing when the merge is not allowed (`canMerge`).
 */
const mergePersons = (
  workingSet: PersonWorkingSet,
  { fromDistinctId, kind }: PersonMerge,
  distinctId: string,
): void => {
  const loser = workingSet.persons.get(findPersonId(workingSet, fromDistinctId) ?? '')
  const winner = workingSet.persons.get(findPersonId(workingSet, distinctId) ?? '')
  if (loser === undefined || loser.id === winner?.id || !canMerge(loser, winner, kind)) return
  if (winner === undefined) {
    if (addDistinctId(workingSet, distinctId, loser.id)) countId(workingSet, loser.id)
    return
  }
  const keptPerson = movesWinner(workingSet, loser, winner) ? loser : winner
  const { draft, dropped } = mergeDrafts(
    draftOf(workingSet, loser.id, loser),
    draftOf(workingSet, winner.id, winner),
    LOCATION_NAMES,
    keptPerson === loser ? 'loser' : 'winner',
  )
  const [loserId, publicId] = [publicIdOf(loser), publicIdOf(winner)]
  if (dropped.length > 0) workingSet.warnings.add(describeDropped(dropped, loserId, publicId))
  const [removed, kept] = keptPerson === loser ? [winner.id, loser.id] : [loser.id, winner.id]
  const removedPerson = keptPerson === loser ? winner : loser
  if (mayHaveChanges(removedPerson, workingSet.minBaseBytes)) workingSet.changedBefore.add(removed)
  const { properties, isIdentified } = winner
  const createdAt = Math.min(loser.createdAt, winner.createdAt)
  workingSet.drafts.delete(removed)
  workingSet.drafts.set(kept, draft)
  workingSet.persons.delete(removed)
  workingSet.persons.set(kept, {
    id: kept,
    ...(publicId !== kept && { publicId }),
    properties,
    createdAt,
    isIdentified,
    stored: keptPerson.stored,
  })
  workingSet.changedPersons.delete(removed)
  workingSet.changedPersons.add(kept)
  workingSet.mergedInto.set(removed, kept)
  countId(workingSet, kept, workingSet.idCounts.get(removed) ?? 1)
  workingSet.idCounts.delete(removed)
}

/** Returns whether the distinct id had no person. */
const addDistinctId = (workingSet: PersonWorkingSet, distinctId: string, personId: string): boolean => {
  if (workingSet.personIds.has(distinctId)) return false
  workingSet.personIds.set(distinctId, personId)
  workingSet.newDistinctIds.add(distinctId)
  return true
}

/** Counts distinct ids that a merge gives to a person. */
const countId = ({ idCounts }: PersonWorkingSet, personId: string, added = 1): void => {
  idCounts.set(personId, (idCounts.get(personId) ?? 1) + added)
}

const applyGroupChange = (
  workingSet: PersonWorkingSet,
  change: Extract<Change, { kind: 'group' }>,
  timestampMs: number,
): void => {
  const { type, key: name, set } = change
  const key = groupKey(type, name)
  const before = workingSet.groups.get(key)
  const createdAt = Math.min(before?.createdAt ?? timestampMs, timestampMs)
  if (createdAt !== before?.createdAt) {
    workingSet.groups.set(key, { type, key: name, properties: {}, ...before, createdAt })
    workingSet.changedGroups.add(key)
  }
  const outcome = draftChange(workingSet, key, before ?? EMPTY, { set, setOnce: {}, unset: [] })
  if (outcome.isChanged) workingSet.changedGroups.add(key)
  if (outcome.dropped.length > 0) workingSet.warnings.add(`Properties of group ${key} were left out`)
}

const draftChange = (
  workingSet: PersonWorkingSet,
  key: string,
  owner: PropertyOwner,
  change: PropertyChange,
): DraftOutcome => {
  if (!workingSet.drafts.has(key) && !wouldChange(owner.properties, change)) return NO_CHANGE
  return applyToDraft(draftOf(workingSet, key, owner), change)
}

type PropertyOwner = Pick<Person | Group, 'properties' | 'stored'>

const EMPTY: PropertyOwner = { properties: {} }

const NO_CHANGE: DraftOutcome = { isChanged: false, dropped: [] }

const draftOf = (workingSet: PersonWorkingSet, key: string, { properties, stored }: PropertyOwner): PropertyDraft => {
  const existing = workingSet.drafts.get(key)
  if (existing !== undefined) return existing
  const draft = createDraft(properties, stored?.bytes)
  workingSet.drafts.set(key, draft)
  return draft
}
