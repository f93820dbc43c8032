import type { JsonObject } from '../../wire/json.ts'

/** Who is behind one or more distinct ids of a project. */
export interface Person {
  /** See `personId`: derived from the first distinct id. */
  readonly id: string
  readonly properties: JsonObject
  /** Milliseconds since 1970: the earliest event that was attributed. */
  readonly createdAt: number
  /** True once a distinct id was given by `$identify` or `$create_alias`: such a person is never merged into another such person. */
  readonly isIdentified: boolean
}

/** A group of a project, for instance the company `acme`. */
export interface Group {
  readonly type: string
  readonly key: string
  readonly properties: JsonObject
  /** Milliseconds since 1970: the earliest event that described it. */
  readonly createdAt: number
}
