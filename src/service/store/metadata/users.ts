import { randomUUID } from 'node:crypto'
import type { JsonObject } from '../../../wire/json.ts'
import type { Metadata } from './open.ts'
import { splitIntoChunks } from './split-into-chunks.ts'

/** What a user does, in the words of the protocol. */
export const ROLES = [
  'engineering',
  'data',
  'product',
  'founder',
  'leadership',
  'marketing',
  'sales',
  'other',
  '',
] as const
export type Role = (typeof ROLES)[number]

/** The fields of a user that can change. */
export interface UserFields {
  /** In lower case, unique. */
  readonly email: string
  readonly firstName: string
  readonly lastName: string
  readonly isEmailVerified: boolean
  /** Settings of the protocol's own user interface; kept as they are. */
  readonly hedgehogConfig: JsonObject
  /** '' when unknown. */
  readonly roleAtOrganization: Role
}

/** A person who works with the service, not one of those whose events it stores. */
export interface User extends UserFields {
  readonly id: number
  readonly uuid: string
  readonly distinctId: string
  /** Starts at 1 and increases with each change. */
  readonly version: number
  /** Milliseconds since 1970. */
  readonly createdAt: number
}

const COLUMNS = [
  'users.id as id',
  'users.uuid as uuid',
  'users.distinct_id as distinctId',
  'users.email as email',
  'users.first_name as firstName',
  'users.last_name as lastName',
  'users.is_email_verified as isEmailVerified',
  'users.hedgehog_config as hedgehogConfig',
  'users.role_at_organization as roleAtOrganization',
  'users.version as version',
  'users.created_at as createdAt',
] as const

interface UserRow extends Omit<User, 'isEmailVerified' | 'hedgehogConfig' | 'roleAtOrganization'> {
  readonly isEmailVerified: number
  readonly hedgehogConfig: string
  readonly roleAtOrganization: string
}

const parseUserRow = (row: UserRow): User => ({
  ...row,
  isEmailVerified: row.isEmailVerified === 1,
  hedgehogConfig: JSON.parse(row.hedgehogConfig) as JsonObject,
  // `toColumns`, the only writer of the column, accepts only roles.
  roleAtOrganization: row.roleAtOrganization as Role,
})

const toColumns = (fields: Partial<UserFields>) => ({
  ...(fields.email !== undefined && { email: fields.email.toLowerCase() }),
  ...(fields.firstName !== undefined && { first_name: fields.firstName }),
  ...(fields.lastName !== undefined && { last_name: fields.lastName }),
  ...(fields.isEmailVerified !== undefined && { is_email_verified: fields.isEmailVerified ? 1 : 0 }),
  ...(fields.hedgehogConfig !== undefined && { hedgehog_config: JSON.stringify(fields.hedgehogConfig) }),
  ...(fields.roleAtOrganization !== undefined && { role_at_organization: fields.roleAtOrganization }),
})

/** Creates a user. The email address must be unused (`findUserByEmail`). */
export const createUser = async (
  metadata: Metadata,
  { email, ...fields }: Pick<UserFields, 'email'> & Partial<UserFields>,
  now: number,
): Promise<User> => {
  const { id } = await metadata
    .insertInto('users')
    .values({
      email: email.toLowerCase(),
      uuid: randomUUID(),
      distinct_id: randomUUID(),
      first_name: '',
      last_name: '',
      is_email_verified: 0,
      hedgehog_config: '{}',
      role_at_organization: '',
      version: 1,
      created_at: now,
      updated_at: now,
      ...toColumns(fields),
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  return (await findUserById(metadata, id))!
}

const selectUsers = (metadata: Metadata) => metadata.selectFrom('users')

/** All users, oldest first. */
export const listUsers = async (metadata: Metadata): Promise<User[]> =>
  (await selectUsers(metadata).select(COLUMNS).orderBy('id').execute()).map(parseUserRow)

/** A user, and the users of organisations, oldest first. */
export const listColleagues = async (
  metadata: Metadata,
  userId: number,
  organizationIds: readonly string[],
): Promise<User[]> => {
  const members = metadata.selectFrom('organization_members').where('organization_id', 'in', organizationIds)
  const rows = selectUsers(metadata)
    .select(COLUMNS)
    .where((where) => where.or([where('users.id', '=', userId), where('users.id', 'in', members.select('user_id'))]))
  return (await rows.orderBy('users.id').execute()).map(parseUserRow)
}

/** The users with these ids, by id; ids of users that were removed are left out. */
export const loadUsers = async (metadata: Metadata, ids: readonly number[]): Promise<ReadonlyMap<number, User>> => {
  const users = new Map<number, User>()
  for (const chunk of splitIntoChunks(ids)) {
    const rows = await selectUsers(metadata).select(COLUMNS).where('users.id', 'in', chunk).execute()
    for (const row of rows) users.set(row.id, parseUserRow(row))
  }
  return users
}

export const findUserById = async (metadata: Metadata, id: number): Promise<User | undefined> => {
  const row = await selectUsers(metadata).select(COLUMNS).where('users.id', '=', id).executeTakeFirst()
  return row && parseUserRow(row)
}

export const findUserByUuid = async (metadata: Metadata, uuid: string): Promise<User | undefined> => {
  const row = await selectUsers(metadata)
    .select(COLUMNS)
    .where('users.uuid', '=', uuid.toLowerCase())
    .executeTakeFirst()
  return row && parseUserRow(row)
}

export const findUserByEmail = async (metadata: Metadata, email: string): Promise<User | undefined> => {
  const row = await selectUsers(metadata)
    .select(COLUMNS)
    .where('users.email', '=', email.toLowerCase())
    .executeTakeFirst()
  return row && parseUserRow(row)
}

/** Changes fields of a user; a new email address must be unused. Call it inside a transaction. */
export const updateUser = async (
  transaction: Metadata,
  id: number,
  fields: Partial<UserFields>,
  now: number,
): Promise<void> => {
  await transaction
    .updateTable('users')
    .set((row) => ({ ...toColumns(fields), version: row('version', '+', 1), updated_at: now }))
    .where('id', '=', id)
    .execute()
}

/** Removes a user with all memberships and keys. */
export const removeUser = async (transaction: Metadata, id: number): Promise<void> => {
  await transaction.deleteFrom('users').where('id', '=', id).execute()
}
