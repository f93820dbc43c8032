import type { JsonObject } from '../../wire/json.ts'
import { GEO_PROPERTIES, INITIAL_GEO_PROPERTIES } from '../geo/geo.ts'
import type { Change } from './change.ts'
import { mayMerge } from './merge.ts'
import type { Group, Person } from './person.ts'
import type { DraftOutcome, PropertyChange, PropertyDraft } from './property-draft.ts'
import { alters, changeDraft, draftedProperties, joinDrafts, openDraft } from './property-draft.ts'

/**
 * What is known of the persons and groups that a batch of events speaks of, and what the batch does to them. Their
 * properties are up to date once the batch is done and `settle` was called.
 */
export interface PersonLedger {
  /** Distinct id to person id, as stored or as attached; read it through `personIdOf`. */
  readonly personOf: Map<string, string>
  readonly persons: Map<string, Person>
  readonly groups: Map<string, Group>
  /** Properties that the batch changes, by person id and by the key of a group (`groupKey`; no uuid looks like it). */
  readonly drafts: Map<string, PropertyDraft>
  /** Ids of persons that are new or differ from what is stored. */
  readonly changed: Set<string>
  /** Distinct ids that had no person before. */
  readonly attached: Set<string>
  /** Loser to winner, who may have lost later (`winnerOf`): every distinct id of the loser now belongs to the winner. */
  readonly mergedInto: Map<string, string>
  /** Keys (`groupKey`) of groups that are new or differ. */
  readonly changedGroups: Set<string>
  /** What was not done, in words, as the properties of a person or group would have become too large. */
  readonly oversized: Set<string>
}

/** A ledger over what was read from the metadata; it keeps and changes the maps it is given. */
export const openLedger = (
  personOf: Map<string, string>,
  persons: Map<string, Person>,
  groups: Map<string, Group>,
): PersonLedger => ({
  personOf,
  persons,
  groups,
  drafts: new Map(),
  changed: new Set(),
  attached: new Set(),
  mergedInto: new Map(),
  changedGroups: new Set(),
  oversized: new Set(),
})

/** The key of a group inside a ledger. */
export const groupKey = (type: string, key: string): string => JSON.stringify([type, key])

/** The id of the person that a distinct id belongs to now. */
export const personIdOf = (ledger: PersonLedger, distinctId: string): string | undefined => {
  const id = ledger.personOf.get(distinctId)
  return id === undefined ? undefined : winnerOf(ledger, id)
}

/** Who a person is after all merges: themselves, or the last winner. */
export const winnerOf = ({ mergedInto }: PersonLedger, id: string): string => {
  let last = id
  for (let next = mergedInto.get(last); next !== undefined; next = mergedInto.get(last)) last = next
  // A long chain is walked once: from now on each of its losers points to the end.
  for (let at = id; at !== last;) {
    const next = mergedInto.get(at)!
    mergedInto.set(at, last)
    at = next
  }
  return last
}

/** Puts the properties that the batch has changed into its persons and groups. */
export const settle = ({ drafts, persons, groups }: PersonLedger): void => {
  for (const [key, draft] of drafts) {
    const properties = draftedProperties(draft)
    const [person, group] = [persons.get(key), groups.get(key)]
    if (person !== undefined) persons.set(key, { ...person, properties })
    if (group !== undefined) groups.set(key, { ...group, properties })
  }
  drafts.clear()
}

/**
 * Carries out what one event asks for, in the ledger.
 *
 * @param at milliseconds since 1970: when the event happened.
 * @param newId gives the id of a person whose first distinct id is known (`personId`).
 */
export const resolveChange = (
  ledger: PersonLedger,
  change: Change,
  at: number,
  newId: (distinctId: string) => string,
): void => {
  if (change.kind === 'person') resolvePerson(ledger, change, at, newId)
  if (change.kind === 'group') resolveGroup(ledger, change, at)
}

const resolvePerson = (
  ledger: PersonLedger,
  change: Extract<Change, { kind: 'person' }>,
  at: number,
  newId: (distinctId: string) => string,
): void => {
  const { distinctId, join } = change
  mend(ledger, distinctId, at, newId)
  if (join !== null) mend(ledger, join.from, at, newId)
  if (join !== null) joinPersons(ledger, join.from, distinctId, join.by)
  const id = personIdOf(ledger, distinctId) ?? newId(distinctId)
  attach(ledger, distinctId, id)
  if (join !== null) attach(ledger, join.from, id)
  const before = ledger.persons.get(id)
  const isIdentified = (before?.isIdentified ?? false) || change.identifies
  const createdAt = Math.min(before?.createdAt ?? at, at)
  if (isIdentified !== before?.isIdentified || createdAt !== before.createdAt) {
    ledger.persons.set(id, { id, properties: before?.properties ?? {}, createdAt, isIdentified })
    ledger.changed.add(id)
  }
  const outcome = draftChange(ledger, id, before?.properties ?? {}, change)
  if (outcome === 'changed') ledger.changed.add(id)
  if (outcome === 'oversized') ledger.oversized.add(`A change to person ${id} was ignored`)
}

/**
 * Makes whole what a salvage found in part: who was made for an id is theirs again, and who was lost comes back with the
 * ids that they had, instead of one of them becoming somebody else.
 */
const mend = (ledger: PersonLedger, distinctId: string, at: number, newId: (distinctId: string) => string): void => {
  const id = personIdOf(ledger, distinctId)
  if (id === undefined) {
    const own = newId(distinctId)
    if (ledger.persons.has(own)) attach(ledger, distinctId, own)
  } else if (!ledger.persons.has(id)) {
    ledger.persons.set(id, { id, properties: {}, createdAt: at, isIdentified: false })
    ledger.changed.add(id)
  }
}

/** Properties that only make sense together. */
const PLACES = [GEO_PROPERTIES, INITIAL_GEO_PROPERTIES]

/** Names that are told of those that were left out. */
const MOST_NAMES = 5

const leftOut = (names: readonly string[], loser: string, winner: string): string => {
  const told = names.slice(0, MOST_NAMES).map((name) => JSON.stringify(name.slice(0, 100)))
  const more = names.length > MOST_NAMES ? ` and ${names.length - MOST_NAMES} more` : ''
  return `When person ${loser} became one with person ${winner}, ${told.join(', ')}${more} of the former was left out`
}

/** Makes the persons of two ids one, or gives the one person there is the other id. Where that is refused, nothing changes. */
const joinPersons = (ledger: PersonLedger, from: string, into: string, by: 'identify' | 'alias'): void => {
  const loser = ledger.persons.get(personIdOf(ledger, from) ?? '')
  const winner = ledger.persons.get(personIdOf(ledger, into) ?? '')
  if (loser === undefined || loser.id === winner?.id || !mayMerge(loser, winner, by)) return
  if (winner === undefined) return attach(ledger, into, loser.id)
  const { draft, left } = joinDrafts(
    draftOf(ledger, loser.id, loser.properties),
    draftOf(ledger, winner.id, winner.properties),
    PLACES,
  )
  if (left.length > 0) ledger.oversized.add(leftOut(left, loser.id, winner.id))
  ledger.drafts.delete(loser.id)
  ledger.drafts.set(winner.id, draft)
  ledger.persons.set(winner.id, {
    ...winner,
    createdAt: Math.min(loser.createdAt, winner.createdAt),
  })
  ledger.persons.delete(loser.id)
  ledger.changed.delete(loser.id)
  ledger.changed.add(winner.id)
  ledger.mergedInto.set(loser.id, winner.id)
}

const attach = (ledger: PersonLedger, distinctId: string, person: string): void => {
  if (ledger.personOf.has(distinctId)) return
  ledger.personOf.set(distinctId, person)
  ledger.attached.add(distinctId)
}

const resolveGroup = (ledger: PersonLedger, change: Extract<Change, { kind: 'group' }>, at: number): void => {
  const { type, key: name, set } = change
  const key = groupKey(type, name)
  const before = ledger.groups.get(key)
  const createdAt = Math.min(before?.createdAt ?? at, at)
  if (createdAt !== before?.createdAt) {
    ledger.groups.set(key, { type, key: name, properties: before?.properties ?? {}, createdAt })
    ledger.changedGroups.add(key)
  }
  const outcome = draftChange(ledger, key, before?.properties ?? {}, { set, setOnce: {}, unset: [] })
  if (outcome === 'changed') ledger.changedGroups.add(key)
  if (outcome === 'oversized') ledger.oversized.add(`A change to group ${key} was ignored`)
}

const draftChange = (
  ledger: PersonLedger,
  key: string,
  properties: JsonObject,
  change: PropertyChange,
): DraftOutcome => {
  if (!ledger.drafts.has(key) && !alters(properties, change)) return 'same'
  return changeDraft(draftOf(ledger, key, properties), change)
}

const draftOf = (ledger: PersonLedger, key: string, properties: JsonObject): PropertyDraft => {
  const known = ledger.drafts.get(key)
  if (known !== undefined) return known
  const draft = openDraft(properties)
  ledger.drafts.set(key, draft)
  return draft
}
