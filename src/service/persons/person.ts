import type { JsonObject } from '../../wire/json.ts'

/** The user behind one or more distinct ids of a project. */
export interface Person {
  /** Derived from the person's first distinct id (`derivePersonId`). */
  readonly id: string
  readonly properties: JsonObject
  /** Milliseconds since 1970: the time of the earliest event of the person. */
  readonly createdAt: number
  /** True after `$identify` or `$create_alias`. An identified person is never merged into another identified person. */
  readonly isIdentified: boolean
}

/** A group of a project, for example the company `acme`. */
export interface Group {
  readonly type: string
  readonly key: string
  readonly properties: JsonObject
  /** Milliseconds since 1970: the time of the earliest event that described the group. */
  readonly createdAt: number
}
