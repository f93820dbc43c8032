import { sql } from 'kysely'

/** Who changes something, and when (milliseconds since 1970). */
export interface Author {
  readonly userId: number
  readonly now: number
}

/** What the store adds to something that users create and change. */
export interface Authorship {
  readonly id: number
  /** Starts at 1 and increases with each change. */
  readonly version: number
  /** Milliseconds since 1970. */
  readonly createdAt: number
  /** Id of a user; null if the user was removed. */
  readonly createdBy: number | null
  /** Milliseconds since 1970. */
  readonly lastModifiedAt: number
  /** Id of a user; null if the user was removed. */
  readonly lastModifiedBy: number | null
}

/** The columns of `Authorship`. */
export const AUTHORSHIP_COLUMNS = [
  'id',
  'version',
  'created_at as createdAt',
  'created_by as createdBy',
  'last_modified_at as lastModifiedAt',
  'last_modified_by as lastModifiedBy',
] as const

/** The values of a new row. */
export const toNewAuthorship = ({ userId, now }: Author) => ({
  version: 1,
  created_at: now,
  created_by: userId,
  last_modified_at: now,
  last_modified_by: userId,
})

/** The values of a changed row. */
export const toChangedAuthorship = ({ userId, now }: Author) => ({
  version: sql<number>`version + 1`,
  last_modified_at: now,
  last_modified_by: userId,
})
