import type { Json } from '../../../../wire/json.ts'
import type { Group, Person } from '../../../persons/person.ts'
import { groupKey } from '../../../persons/person.ts'
import type { PersonCopyUpdate } from '../event-store.ts'
import { writeInLines } from '../properties-in-lines.ts'
import { toWellFormedJson } from '../to-well-formed-json.ts'
import { MIN_BASE_BYTES } from '../../../persons/plan-write.ts'
import type { PackedPersons } from './packed-store.ts'
import type { Column } from './rows/column.ts'
import { packRows } from './rows/pack-rows.ts'

/** Size of the JSON of pending persons and groups after which they are written. */
const MAX_PENDING_BYTES = 4 * 1024 * 1024

/**
 * The changed persons and groups of a transaction. They are written together at its end, because replacing stored persons costs as much
 * for a few as for many.
 */
export interface PendingPersons {
  /** Throws `RangeError` for properties that are nested too deeply. */
  add(update: PersonCopyUpdate): void
  /** Whether they should be written before the end of the transaction. */
  isLarge(): boolean
  /** Packs them for their staging tables, and forgets them. */
  take(): PackedPersons
  clear(): void
}

export const createPendingPersons = (): PendingPersons => {
  const persons = new Map<string, Pending<Person>>()
  const groups = new Map<string, Pending<Group>>()
  let bytes = 0
  const toJson = (value: Json): string => {
    const json = toWellFormedJson(value)
    bytes += json.length
    return json
  }
  /** All properties; or those with these names, beside what is pending or stored. */
  const pendingOf = <Item extends Person | Group>(
    item: Item,
    names: ReadonlySet<string> | undefined,
    earlier: Pending<Item> | undefined,
  ): Pending<Item> => {
    const { properties } = item
    if (names === undefined) {
      const json = toJson(properties)
      const isLarge = json.length >= MIN_BASE_BYTES
      return {
        ...item,
        properties: null,
        json: isLarge ? writeInLines(properties, toWellFormedJson) : json,
        changes: new Map(),
      }
    }
    const changes = earlier?.changes ?? new Map<string, string | null>()
    for (const name of names)
      changes.set(toJson(name), Object.hasOwn(properties, name) ? toJson(properties[name]!) : null)
    return { ...item, properties: null, json: earlier?.json ?? null, changes }
  }
  const clear = (): void => {
    persons.clear()
    groups.clear()
    bytes = 0
  }
  return {
    add(update) {
      if (update.replacesAll) clear()
      const { changedNames } = update
      for (const person of update.persons)
        persons.set(person.id, pendingOf(person, changedNames?.get(person.id), persons.get(person.id)))
      for (const group of update.groups) {
        const key = groupKey(group.type, group.key)
        groups.set(key, pendingOf(group, changedNames?.get(key), groups.get(key)))
      }
    },
    isLarge: () => bytes > MAX_PENDING_BYTES,
    take() {
      const all = [...persons.values(), ...groups.values()]
      const packed = {
        persons: packRows(PERSON_COLUMNS, [...persons.values()]),
        haveNames: [...persons.values()].some(({ publicId }) => publicId !== undefined),
        groups: packRows(GROUP_COLUMNS, [...groups.values()]),
        personChanges: packRows(PERSON_CHANGE_COLUMNS, changesOf(persons)),
        groupChanges: packRows(GROUP_CHANGE_COLUMNS, changesOf(groups)),
        keepProperties: all.some(({ json, changes }) => json === null || changes.size > 0),
      }
      clear()
      return packed
    },
    clear,
  }
}

/** A person or group with its properties as JSON. */
type Pending<Item> = Omit<Item, 'properties'> & {
  readonly properties: null
  /** All properties; null if the store keeps those that it has. */
  readonly json: string | null
  /** Properties that are written after those, by the JSON of their name; null for one that is removed. */
  readonly changes: Map<string, string | null>
}

/** A changed property. */
interface Change<Item> {
  readonly owner: Pending<Item>
  readonly name: string
  readonly value: string | null
}

const changesOf = <Item>(items: ReadonlyMap<string, Pending<Item>>): readonly Change<Item>[] =>
  [...items.values()].flatMap((owner) => Array.from(owner.changes, ([name, value]) => ({ owner, name, value })))

const PERSON_COLUMNS: readonly Column<Pending<Person>>[] = [
  { type: 'UUID', values: (persons) => persons.map((person) => person.id) },
  { type: 'VARCHAR', values: (persons) => persons.map((person) => person.json) },
  { type: 'TIMESTAMPTZ', values: (persons) => persons.map((person) => person.createdAt) },
  { type: 'BOOLEAN', values: (persons) => persons.map((person) => person.isIdentified) },
  { type: 'UUID', values: (persons) => persons.map((person) => person.publicId ?? null) },
]

const GROUP_COLUMNS: readonly Column<Pending<Group>>[] = [
  { type: 'VARCHAR', values: (groups) => groups.map((group) => group.type) },
  { type: 'VARCHAR', values: (groups) => groups.map((group) => group.key) },
  { type: 'VARCHAR', values: (groups) => groups.map((group) => group.json) },
  { type: 'TIMESTAMPTZ', values: (groups) => groups.map((group) => group.createdAt) },
]

const PERSON_CHANGE_COLUMNS: readonly Column<Change<Person>>[] = [
  { type: 'UUID', values: (changes) => changes.map(({ owner }) => owner.id) },
  { type: 'VARCHAR', values: (changes) => changes.map(({ name }) => name) },
  { type: 'VARCHAR', values: (changes) => changes.map(({ value }) => value) },
]

const GROUP_CHANGE_COLUMNS: readonly Column<Change<Group>>[] = [
  { type: 'VARCHAR', values: (changes) => changes.map(({ owner }) => owner.type) },
  { type: 'VARCHAR', values: (changes) => changes.map(({ owner }) => owner.key) },
  { type: 'VARCHAR', values: (changes) => changes.map(({ name }) => name) },
  { type: 'VARCHAR', values: (changes) => changes.map(({ value }) => value) },
]
