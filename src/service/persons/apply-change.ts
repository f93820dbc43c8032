import type { JsonObject } from '../../wire/json.ts'
import { GEO_PROPERTIES, INITIAL_GEO_PROPERTIES } from '../geo/geo-lookup.ts'
import type { Change, PersonMerge } from './change.ts'
import { canMerge } from './can-merge.ts'
import type { Group, Person } from './person.ts'
import type { DraftOutcome, PropertyChange, PropertyDraft } from './property-draft.ts'
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
  /** Loser to winner of each merge. A winner may have lost a later merge: use `findWinner`. */
  readonly mergedInto: Map<string, string>
  /** Keys (`groupKey`) of groups that are new or differ from the stored ones. */
  readonly changedGroups: Set<string>
  /** Messages about properties that were left out because a person or group would have too many. */
  readonly warnings: Set<string>
}

/**
 * Creates a working set over persons and groups of the metadata. It changes the maps it gets.
 *
 * @param mergedInto The merges of earlier batches that the metadata does not have yet. Default: none.
 */
export const createWorkingSet = (
  personIds: Map<string, string>,
  persons: Map<string, Person>,
  groups: Map<string, Group>,
  mergedInto: Map<string, string> = new Map(),
): PersonWorkingSet => ({
  personIds,
  persons,
  groups,
  drafts: new Map(),
  changedPersons: new Set(),
  newDistinctIds: new Set(),
  mergedInto,
  changedGroups: new Set(),
  warnings: new Set(),
})

/** The key of a group in a working set. */
export const groupKey = (type: string, key: string): string => JSON.stringify([type, key])

/** The id of the person that a distinct id belongs to after the merges so far. */
export const findPersonId = (
  workingSet: Pick<PersonWorkingSet, 'personIds' | 'mergedInto'>,
  distinctId: string,
): string | undefined => {
  const id = workingSet.personIds.get(distinctId)
  return id === undefined ? undefined : findWinner(workingSet, id)
}

/** The id of a person after all merges: the last winner, or the person's own id. */
export const findWinner = ({ mergedInto }: Pick<PersonWorkingSet, 'mergedInto'>, id: string): string => {
  let winnerId = id
  for (let nextId = mergedInto.get(id); nextId !== undefined; nextId = mergedInto.get(nextId)) winnerId = nextId
  // Shortens the chain, so that each loser points to the last winner and a long chain is followed only once.
  for (let current = id; current !== winnerId;) {
    const nextId = mergedInto.get(current)!
    mergedInto.set(current, winnerId)
    current = nextId
  }
  return winnerId
}

/** Writes the properties of the drafts into the persons and groups. */
export const applyDrafts = ({ drafts, persons, groups }: PersonWorkingSet): void => {
  for (const [key, draft] of drafts) {
    const properties = readDraft(draft)
    const [person, group] = [persons.get(key), groups.get(key)]
    if (person !== undefined) persons.set(key, { ...person, properties })
    if (group !== undefined) groups.set(key, { ...group, properties })
  }
  drafts.clear()
}

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
  if (merge !== null) addDistinctId(workingSet, merge.fromDistinctId, id)
  const before = workingSet.persons.get(id)
  const isIdentified = (before?.isIdentified ?? false) || change.identifies
  const createdAt = Math.min(before?.createdAt ?? timestampMs, timestampMs)
  if (isIdentified !== before?.isIdentified || createdAt !== before.createdAt) {
    workingSet.persons.set(id, { id, properties: before?.properties ?? {}, createdAt, isIdentified })
    workingSet.changedPersons.add(id)
  }
  const outcome = draftChange(workingSet, id, before?.properties ?? {}, change)
  if (outcome.isChanged) workingSet.changedPersons.add(id)
  if (outcome.dropped.length > 0) workingSet.warnings.add(`Properties of person ${id} were left out`)
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
    if (workingSet.persons.has(findWinner(workingSet, ownId))) addDistinctId(workingSet, distinctId, ownId)
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
  if (winner === undefined) return addDistinctId(workingSet, distinctId, loser.id)
  const { draft, dropped } = mergeDrafts(
    draftOf(workingSet, loser.id, loser.properties),
    draftOf(workingSet, winner.id, winner.properties),
    LOCATION_NAMES,
  )
  if (dropped.length > 0) workingSet.warnings.add(describeDropped(dropped, loser.id, winner.id))
  workingSet.drafts.delete(loser.id)
  workingSet.drafts.set(winner.id, draft)
  workingSet.persons.set(winner.id, {
    ...winner,
    createdAt: Math.min(loser.createdAt, winner.createdAt),
  })
  workingSet.persons.delete(loser.id)
  workingSet.changedPersons.delete(loser.id)
  workingSet.changedPersons.add(winner.id)
  workingSet.mergedInto.set(loser.id, winner.id)
}

const addDistinctId = (workingSet: PersonWorkingSet, distinctId: string, personId: string): void => {
  if (workingSet.personIds.has(distinctId)) return
  workingSet.personIds.set(distinctId, personId)
  workingSet.newDistinctIds.add(distinctId)
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
    workingSet.groups.set(key, { type, key: name, properties: before?.properties ?? {}, createdAt })
    workingSet.changedGroups.add(key)
  }
  const outcome = draftChange(workingSet, key, before?.properties ?? {}, { set, setOnce: {}, unset: [] })
  if (outcome.isChanged) workingSet.changedGroups.add(key)
  if (outcome.dropped.length > 0) workingSet.warnings.add(`Properties of group ${key} were left out`)
}

const draftChange = (
  workingSet: PersonWorkingSet,
  key: string,
  properties: JsonObject,
  change: PropertyChange,
): DraftOutcome => {
  if (!workingSet.drafts.has(key) && !wouldChange(properties, change)) return NO_CHANGE
  return applyToDraft(draftOf(workingSet, key, properties), change)
}

const NO_CHANGE: DraftOutcome = { isChanged: false, dropped: [] }

const draftOf = (workingSet: PersonWorkingSet, key: string, properties: JsonObject): PropertyDraft => {
  const existing = workingSet.drafts.get(key)
  if (existing !== undefined) return existing
  const draft = createDraft(properties)
  workingSet.drafts.set(key, draft)
  return draft
}
