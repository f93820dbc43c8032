import type { JsonObject } from '../../../../wire/json.ts'
import type { StoredSize } from '../../../persons/person.ts'
import { MIN_BASE_BYTES } from '../../../persons/plan-write.ts'
import { writeInLines } from '../properties-in-lines.ts'
import { encodeJson } from './encode-json.ts'
import type { OutdatedChanges } from './property-changes.ts'
import type { PendingBases } from './written-bases.ts'

/** A person or group that is written. */
export interface OwnerWrite {
  /** What it is remembered by. */
  readonly key: string
  /** Its columns in the key of the tables. */
  readonly columns: readonly string[]
  readonly properties: JsonObject
  readonly stored: StoredSize | undefined
  /** The names of the properties to write, if ClickHouse has the others; undefined for all. */
  readonly names: ReadonlySet<string> | undefined
  /** Whether ClickHouse may have changes of before, which count no more when all properties are written. */
  readonly mayHaveChanges: boolean
  readonly version: number
  /** Encodes the row of all properties. */
  readonly encodeAll: (json: string) => string
  /** Encodes the row of a changed one. */
  readonly encodeOne: (name: string, value: string) => string
}

/** The rows of persons, or of groups: the last state of each one. */
export interface OwnerRows {
  /** Encodes rows. Call the result to add them. */
  readonly encode: (write: OwnerWrite) => () => void
  /** Adds the row of a person that is deleted. */
  readonly addDeleted: (
    deleted: Pick<OwnerWrite, 'key' | 'columns' | 'mayHaveChanges' | 'version'>,
    row: string,
  ) => void
  readonly take: () => {
    readonly rows: readonly string[]
    readonly changes: readonly string[]
    readonly outdated: readonly OutdatedChanges[]
  }
  /** What was taken is written. */
  readonly onWritten: () => void
  /** Forgets all rows that are not written. */
  readonly discard: () => void
  /** All persons and groups are deleted. */
  readonly onReplaced: () => void
}

/** The rows of changed properties, by the JSON of their names (`CHANGE_TABLES`). */
type Changes = Map<string, string>

export const createOwnerRows = (bases: PendingBases): OwnerRows => {
  const rows = new Map<string, string>()
  const changes = new Map<string, Changes>()
  const outdated = new Map<string, OutdatedChanges>()

  const clear = (): void => {
    for (const each of [rows, changes, outdated]) each.clear()
  }

  const addAll = (
    { key, columns, mayHaveChanges, version }: Pick<OwnerWrite, 'key' | 'columns' | 'mayHaveChanges' | 'version'>,
    row: string,
  ): void => {
    rows.set(key, row)
    changes.delete(key)
    if (mayHaveChanges || outdated.has(key)) outdated.set(key, { columns, version })
  }

  return {
    encode(write) {
      const { key, properties, stored, names } = write
      const isChange = names !== undefined && bases.has(key, stored?.baseBytes)
      if (isChange) {
        const added = encodeChanges(write, names)
        return () => {
          const earlier = changes.get(key)
          if (earlier === undefined) changes.set(key, added)
          else for (const [name, row] of added) earlier.set(name, row)
        }
      }
      const json = encodeJson(properties)
      const row = write.encodeAll(json.length < MIN_BASE_BYTES ? json : writeInLines(properties, encodeJson))
      const all = names === undefined ? write : { ...write, mayHaveChanges: true }
      return () => {
        addAll(all, row)
        if (stored === undefined) bases.forget(key)
        else bases.add(key, stored.baseBytes)
      }
    },
    addDeleted(deleted, row) {
      addAll(deleted, row)
      bases.forget(deleted.key)
    },
    take() {
      const taken = {
        rows: [...rows.values()],
        changes: [...changes.values()].flatMap((each) => Array.from(each.values())),
        outdated: [...outdated.values()],
      }
      clear()
      bases.onTake()
      return taken
    },
    onWritten: bases.onWritten,
    discard() {
      clear()
      bases.discard()
    },
    onReplaced() {
      clear()
      bases.clear()
    },
  }
}

/** The rows of properties with these names, and one with the other columns. */
const encodeChanges = ({ properties, encodeOne }: OwnerWrite, names: ReadonlySet<string>): Changes => {
  const changes: Changes = new Map([['', encodeOne('', '')]])
  for (const name of names) {
    const json = encodeJson(name)
    changes.set(json, encodeOne(json, Object.hasOwn(properties, name) ? encodeJson(properties[name]!) : ''))
  }
  return changes
}
