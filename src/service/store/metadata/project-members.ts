import { randomUUID } from 'node:crypto'
import type { Level, ProjectLevel } from '../../permission/levels.ts'
import type { Metadata } from './open.ts'

/** A user's membership of one project, beside that of its organisation. */
export interface ProjectMember {
  /** A uuid. */
  readonly id: string
  readonly projectId: number
  readonly userId: number
  readonly level: ProjectLevel
  /** The membership of the organisation. */
  readonly membershipId: string
  readonly parentLevel: Level
  /** Starts at 1 and increases with each change. */
  readonly version: number
  /** Milliseconds since 1970. */
  readonly joinedAt: number
  /** Milliseconds since 1970. */
  readonly updatedAt: number
}

const COLUMNS = [
  'member.id as id',
  'member.project_id as projectId',
  'parent.user_id as userId',
  'member.level as level',
  'parent.id as membershipId',
  'parent.level as parentLevel',
  'member.version as version',
  'member.joined_at as joinedAt',
  'member.updated_at as updatedAt',
] as const

interface MemberRow extends Omit<ProjectMember, 'level' | 'parentLevel'> {
  readonly level: number
  readonly parentLevel: number
}

// The writers of the columns accept only levels.
const parseRow = (row: MemberRow): ProjectMember => ({
  ...row,
  level: row.level as ProjectLevel,
  parentLevel: row.parentLevel as Level,
})

const selectMembers = (metadata: Metadata, projectId: number) =>
  metadata
    .selectFrom('project_members as member')
    .innerJoin('organization_members as parent', 'parent.id', 'member.membership_id')
    .where('member.project_id', '=', projectId)

/** All members of a project itself, oldest first. */
export const listProjectMembers = async (metadata: Metadata, projectId: number): Promise<ProjectMember[]> => {
  const rows = selectMembers(metadata, projectId).select(COLUMNS).orderBy('member.joined_at').orderBy('parent.user_id')
  return (await rows.execute()).map(parseRow)
}

export const findProjectMember = async (
  metadata: Metadata,
  projectId: number,
  userId: number,
): Promise<ProjectMember | undefined> => {
  const row = await selectMembers(metadata, projectId)
    .where('parent.user_id', '=', userId)
    .select(COLUMNS)
    .executeTakeFirst()
  return row && parseRow(row)
}

/** Adds a member of the organisation to a project. The member must not be in it yet. */
export const addProjectMember = async (
  transaction: Metadata,
  { projectId, membershipId, level }: Pick<ProjectMember, 'projectId' | 'membershipId' | 'level'>,
  now: number,
): Promise<void> => {
  await transaction
    .insertInto('project_members')
    .values({
      id: randomUUID(),
      project_id: projectId,
      membership_id: membershipId,
      level,
      version: 1,
      joined_at: now,
      updated_at: now,
    })
    .execute()
}

/** Changes the level of a member. Call it inside a transaction. */
export const setProjectLevel = async (
  transaction: Metadata,
  id: string,
  level: ProjectLevel,
  now: number,
): Promise<void> => {
  await transaction
    .updateTable('project_members')
    .set((row) => ({ level, version: row('version', '+', 1), updated_at: now }))
    .where('id', '=', id)
    .where('level', '!=', level)
    .execute()
}

export const removeProjectMember = async (transaction: Metadata, id: string): Promise<void> => {
  await transaction.deleteFrom('project_members').where('id', '=', id).execute()
}
