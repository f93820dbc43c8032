import type { Group, Person } from '../../../persons/person.ts'
import type { PersonCopyUpdate } from '../event-store.ts'
import { toWellFormedJson } from '../to-well-formed-json.ts'
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
  const persons = new Map<string, WithJson<Person>>()
  const groups = new Map<string, WithJson<Group>>()
  let bytes = 0
  const withJson = <Item extends Person | Group>(item: Item): WithJson<Item> => {
    const json = toWellFormedJson(item.properties)
    bytes += json.length
    return { ...item, properties: null, json }
  }
  const clear = (): void => {
    persons.clear()
    groups.clear()
    bytes = 0
  }
  return {
    add(update) {
      if (update.replacesAll) clear()
      for (const person of update.persons) persons.set(person.id, withJson(person))
      for (const group of update.groups) groups.set(JSON.stringify([group.type, group.key]), withJson(group))
    },
    isLarge: () => bytes > MAX_PENDING_BYTES,
    take() {
      const packed = {
        persons: packRows(PERSON_COLUMNS, [...persons.values()]),
        haveNames: [...persons.values()].some(({ publicId }) => publicId !== undefined),
        groups: packRows(GROUP_COLUMNS, [...groups.values()]),
      }
      clear()
      return packed
    },
    clear,
  }
}

/** A person or group with its properties as JSON. */
type WithJson<Item> = Omit<Item, 'properties'> & { readonly properties: null; readonly json: string }

const PERSON_COLUMNS: readonly Column<WithJson<Person>>[] = [
  { type: 'UUID', values: (persons) => persons.map((person) => person.id) },
  { type: 'VARCHAR', values: (persons) => persons.map((person) => person.json) },
  { type: 'TIMESTAMPTZ', values: (persons) => persons.map((person) => person.createdAt) },
  { type: 'BOOLEAN', values: (persons) => persons.map((person) => person.isIdentified) },
  { type: 'UUID', values: (persons) => persons.map((person) => person.publicId ?? null) },
]

const GROUP_COLUMNS: readonly Column<WithJson<Group>>[] = [
  { type: 'VARCHAR', values: (groups) => groups.map((group) => group.type) },
  { type: 'VARCHAR', values: (groups) => groups.map((group) => group.key) },
  { type: 'VARCHAR', values: (groups) => groups.map((group) => group.json) },
  { type: 'TIMESTAMPTZ', values: (groups) => groups.map((group) => group.createdAt) },
]
