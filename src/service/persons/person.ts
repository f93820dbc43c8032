import type { JsonObject } from '../../wire/json.ts'

/** The user behind one or more distinct ids of a project. */
export interface Person {
  /** Derived from a distinct id of the person (`derivePersonId`). Its distinct ids are mapped to it. */
  readonly id: string
  /**
   * The id that the API and queries show, if it is not `id`: after a merge, that of the person that stayed. `id` is then that of the merged
   * person, because it had far more distinct ids, so that they need no change.
   */
  readonly publicId?: string
  readonly properties: JsonObject
  /** Milliseconds since 1970: the time of the earliest event of the person. */
  readonly createdAt: number
  /** True after `$identify` or `$create_alias`. An identified person is never merged into another identified person. */
  readonly isIdentified: boolean
  /** Missing for new persons, and small ones. */
  readonly stored?: StoredSize | undefined
}

/** The size of stored properties: those of large persons and groups are a base, and the properties that have changed since. */
export interface StoredSize {
  /** JSON of the properties, as they are now. */
  readonly bytes: number
  /** JSON of the base. */
  readonly baseBytes: number
  /** The properties beside it, or more when one has changed several times (`planWrite`). */
  readonly changeBytes: number
}

/** The id that the API and queries show. */
export const publicIdOf = ({ id, publicId }: Pick<Person, 'id' | 'publicId'>): string => publicId ?? id

/** A group of a project, for example the company `acme`. */
export interface Group {
  readonly type: string
  readonly key: string
  readonly properties: JsonObject
  /** Milliseconds since 1970: the time of the earliest event that described the group. */
  readonly createdAt: number
  /** Missing for new groups, and small ones. */
  readonly stored?: StoredSize | undefined
}

/** The key of a group where it is in one map with others, or with persons: it never looks like a uuid. */
export const groupKey = (type: string, key: string): string => JSON.stringify([type, key])
