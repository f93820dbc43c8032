import type { JsonObject } from '../../wire/json.ts'
import type { Change } from './change.ts'
import type { Group, Person } from './person.ts'
import { mayMerge, mergePersons, withProperties } from './merge.ts'
import { withinLimit } from './property-limit.ts'

/** What is known of the persons and groups that a batch of events speaks of, and what the batch does to them. */
export interface PersonLedger {
  /** Distinct id to person id, as stored or as attached; read it through `personIdOf`. */
  readonly personOf: Map<string, string>
  readonly persons: Map<string, Person>
  readonly groups: Map<string, Group>
  /** Ids of persons that are new or differ from what is stored. */
  readonly changed: Set<string>
  /** Distinct ids that had no person before. */
  readonly attached: Set<string>
  /** Loser to winner, in the order decided: every distinct id of the loser now belongs to the winner. */
  readonly mergedInto: Map<string, string>
  /** Keys (`groupKey`) of groups that are new or differ. */
  readonly changedGroups: Set<string>
  /** Persons and groups, in words, whose properties would have become too large (`withinLimit`) and stayed as they were. */
  readonly oversized: Set<string>
}

/** A ledger over what was read from the metadata; it keeps and changes the maps it is given. */
export function openLedger(
  personOf: Map<string, string>,
  persons: Map<string, Person>,
  groups: Map<string, Group>,
): PersonLedger {
  return {
    personOf,
    persons,
    groups,
    changed: new Set(),
    attached: new Set(),
    mergedInto: new Map(),
    changedGroups: new Set(),
    oversized: new Set(),
  }
}

/** The key of a group inside a ledger. */
export function groupKey(type: string, key: string): string {
  return JSON.stringify([type, key])
}

/** The id of the person that a distinct id belongs to now. */
export function personIdOf(ledger: PersonLedger, distinctId: string): string | undefined {
  let id = ledger.personOf.get(distinctId)
  while (id !== undefined && ledger.mergedInto.has(id)) id = ledger.mergedInto.get(id)
  return id
}

/**
 * Carries out what one event asks for, in the ledger.
 *
 * @param at milliseconds since 1970: when the event happened.
 * @param newId gives the id of a person whose first distinct id is known (`personId`).
 */
export function resolveChange(
  ledger: PersonLedger,
  change: Change,
  at: number,
  newId: (distinctId: string) => string,
): void {
  if (change.kind === 'person') resolvePerson(ledger, change, at, newId)
  if (change.kind === 'group') resolveGroup(ledger, change, at)
}

function resolvePerson(
  ledger: PersonLedger,
  change: Extract<Change, { kind: 'person' }>,
  at: number,
  newId: (distinctId: string) => string,
): void {
  const { distinctId, join } = change
  if (join !== null) joinPersons(ledger, join.from, distinctId, join.by)
  const id = personIdOf(ledger, distinctId) ?? newId(distinctId)
  attach(ledger, distinctId, id)
  if (join !== null) attach(ledger, join.from, id)
  const before = ledger.persons.get(id)
  const person = before ?? { id, properties: {}, createdAt: at, isIdentified: false }
  const { set, setOnce } = change
  const after = withProperties(person.properties, change)
  const properties = bounded(ledger, `person ${id}`, person.properties, after, [set, setOnce])
  const isIdentified = person.isIdentified || change.identifies
  if (before !== undefined && properties === before.properties && isIdentified === before.isIdentified) return
  ledger.persons.set(id, { ...person, properties, isIdentified })
  ledger.changed.add(id)
}

/** Makes the persons of two ids one, or gives the one person there is the other id. Where that is refused, nothing changes. */
function joinPersons(ledger: PersonLedger, from: string, into: string, by: 'identify' | 'alias'): void {
  const loser = ledger.persons.get(personIdOf(ledger, from) ?? '')
  const winner = ledger.persons.get(personIdOf(ledger, into) ?? '')
  if (loser === undefined || loser.id === winner?.id || !mayMerge(loser, winner, by)) return
  if (winner === undefined) return attach(ledger, into, loser.id)
  const merged = mergePersons(loser, winner)
  const { properties: before } = winner
  const properties = bounded(ledger, `person ${winner.id}`, before, merged.properties, [loser.properties])
  ledger.persons.set(winner.id, { ...merged, properties })
  ledger.persons.delete(loser.id)
  ledger.changed.delete(loser.id)
  ledger.changed.add(winner.id)
  ledger.mergedInto.set(loser.id, winner.id)
}

function attach(ledger: PersonLedger, distinctId: string, person: string): void {
  if (ledger.personOf.has(distinctId)) return
  ledger.personOf.set(distinctId, person)
  ledger.attached.add(distinctId)
}

function resolveGroup(ledger: PersonLedger, change: Extract<Change, { kind: 'group' }>, at: number): void {
  const key = groupKey(change.type, change.key)
  const before = ledger.groups.get(key)
  const known = before?.properties ?? {}
  const after = withProperties(known, { set: change.set, setOnce: {}, unset: [] })
  const properties = bounded(ledger, `group ${key}`, known, after, [change.set])
  if (before !== undefined && properties === before.properties) return
  ledger.groups.set(key, { type: change.type, key: change.key, properties, createdAt: before?.createdAt ?? at })
  ledger.changedGroups.add(key)
}

function bounded(
  ledger: PersonLedger,
  name: string,
  before: JsonObject,
  after: JsonObject,
  added: readonly JsonObject[],
): JsonObject {
  const properties = withinLimit(before, after, added)
  if (properties !== after) ledger.oversized.add(name)
  return properties
}
