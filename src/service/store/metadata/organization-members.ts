import { randomUUID } from 'node:crypto'
import { LEVELS } from '../../permission/levels.ts'
import type { Level } from '../../permission/levels.ts'
import type { Metadata } from './open.ts'
import { countRows, loadPage } from './page.ts'
import type { Page, PageOf } from './page.ts'

/** A user's place in an organisation. */
export interface OrganizationMember {
  /** A uuid. */
  readonly id: string
  readonly organizationId: string
  readonly userId: number
  readonly level: Level
  /** Starts at 1 and increases with each change. */
  readonly version: number
  /** Milliseconds since 1970. */
  readonly joinedAt: number
  /** Milliseconds since 1970. */
  readonly updatedAt: number
}

const COLUMNS = [
  'id',
  'organization_id as organizationId',
  'user_id as userId',
  'level',
  'version',
  'joined_at as joinedAt',
  'updated_at as updatedAt',
] as const

interface MemberRow extends Omit<OrganizationMember, 'level'> {
  readonly level: number
}

// The writers of the column accept only levels.
const parseRow = (row: MemberRow): OrganizationMember => ({ ...row, level: row.level as Level })

const selectMembers = (metadata: Metadata, organizationId: string) =>
  metadata.selectFrom('organization_members').where('organization_id', '=', organizationId.toLowerCase())

/** Adds a user to an organisation. The user must not be a member yet. */
export const addOrganizationMember = async (
  transaction: Metadata,
  { organizationId, userId, level }: Pick<OrganizationMember, 'organizationId' | 'userId' | 'level'>,
  now: number,
): Promise<void> => {
  await transaction
    .insertInto('organization_members')
    .values({
      id: randomUUID(),
      organization_id: organizationId,
      user_id: userId,
      level,
      version: 1,
      joined_at: now,
      updated_at: now,
    })
    .execute()
}

export const findOrganizationMember = async (
  metadata: Metadata,
  organizationId: string,
  userId: number,
): Promise<OrganizationMember | undefined> => {
  const row = await selectMembers(metadata, organizationId)
    .where('user_id', '=', userId)
    .select(COLUMNS)
    .executeTakeFirst()
  return row && parseRow(row)
}

/** All memberships of a user, oldest first. */
export const listMembershipsOfUser = async (metadata: Metadata, userId: number): Promise<OrganizationMember[]> => {
  const rows = metadata.selectFrom('organization_members').where('user_id', '=', userId).select(COLUMNS)
  return (await rows.orderBy('joined_at').orderBy('id').execute()).map(parseRow)
}

/** The memberships of all users in all organisations, oldest first. */
export const listAllMemberships = async (metadata: Metadata): Promise<OrganizationMember[]> => {
  const rows = metadata.selectFrom('organization_members').select(COLUMNS)
  return (await rows.orderBy('joined_at').orderBy('id').execute()).map(parseRow)
}

/** One page of the members of an organisation, oldest first. */
export const listOrganizationMembersPage = (
  metadata: Metadata,
  organizationId: string,
  page: Page,
): Promise<PageOf<OrganizationMember>> => {
  const members = selectMembers(metadata, organizationId).select(COLUMNS).orderBy('joined_at').orderBy('user_id')
  return loadPage(members, page, parseRow)
}

export const countOwners = (metadata: Metadata, organizationId: string): Promise<number> =>
  countRows(selectMembers(metadata, organizationId).where('level', '=', LEVELS.owner))

/** Changes the level of a member. Call it inside a transaction. */
export const setOrganizationLevel = async (
  transaction: Metadata,
  id: string,
  level: Level,
  now: number,
): Promise<void> => {
  await transaction
    .updateTable('organization_members')
    .set((row) => ({ level, version: row('version', '+', 1), updated_at: now }))
    .where('id', '=', id)
    .where('level', '!=', level)
    .execute()
}

/** Removes a member, and with it the memberships of the organisation's projects. */
export const removeOrganizationMember = async (transaction: Metadata, id: string): Promise<void> => {
  await transaction.deleteFrom('organization_members').where('id', '=', id).execute()
}
