import { conflict } from '../http-error.ts'
import type { Metadata } from '../store/metadata/open.ts'
import { countOwners, removeOrganizationMember, setOrganizationLevel } from '../store/metadata/organization-members.ts'
import type { OrganizationMember } from '../store/metadata/organization-members.ts'
import { listProjectMembers, removeProjectMember, setProjectLevel } from '../store/metadata/project-members.ts'
import type { ProjectMember } from '../store/metadata/project-members.ts'
import { listStandings } from '../store/metadata/projects.ts'
import type { Project } from '../store/metadata/projects.ts'
import { LEVELS } from '../permission/levels.ts'
import type { Level, ProjectLevel } from '../permission/levels.ts'

const isAdministrator = ({ level, parentLevel }: Pick<ProjectMember, 'level' | 'parentLevel'>): boolean =>
  Math.max(level, parentLevel) >= LEVELS.administrator

/** Whether a user is the only administrator among the members of a project. */
const isLastAdministrator = (members: readonly ProjectMember[], userId: number): boolean => {
  const administrators = members.filter(isAdministrator)
  return administrators.length === 1 && administrators[0]!.userId === userId
}

/** Throws `HttpError` (409) when a private project would lose its last administrator with this user. */
const requireOtherAdministrator = async (metadata: Metadata, project: Project, userId: number): Promise<void> => {
  if (!project.isPrivate || !isLastAdministrator(await listProjectMembers(metadata, project.id), userId)) return
  throw conflict(
    'last_administrator',
    `This user is the last administrator of the private project "${project.name}". Make another member administrator first.`,
  )
}

/**
 * Throws `HttpError` (409) when an organisation would lose its last owner, or one of its private projects the last
 * administrator.
 *
 * @param level The level that the member will have; 0 for a member who leaves.
 */
const requireOtherLeaders = async (
  metadata: Metadata,
  { organizationId, userId, level: before }: OrganizationMember,
  level: number,
): Promise<void> => {
  if (before === LEVELS.owner && level < LEVELS.owner && (await countOwners(metadata, organizationId)) === 1)
    throw conflict('last_owner', 'This user is the last owner of the organisation. Make another member owner first.')
  if (level >= LEVELS.administrator) return
  for (const { project, explicitLevel } of await listStandings(metadata, userId)) {
    if (project.organizationId !== organizationId || explicitLevel === null) continue
    if (level > 0 && explicitLevel >= LEVELS.administrator) continue
    await requireOtherAdministrator(metadata, project, userId)
  }
}

/**
 * Changes the level of a member of an organisation. Throws `HttpError` (409) when the organisation would lose its last owner, or one of
 * its private projects the last administrator. Call it inside a transaction.
 */
export const changeOrganizationLevel = async (
  transaction: Metadata,
  member: OrganizationMember,
  level: Level,
  now: number,
): Promise<void> => {
  await requireOtherLeaders(transaction, member, level)
  await setOrganizationLevel(transaction, member.id, level, now)
}

/** Removes a member of an organisation, and from its projects. Throws `HttpError` (409) as `changeOrganizationLevel`. */
export const leaveOrganization = async (transaction: Metadata, member: OrganizationMember): Promise<void> => {
  await requireOtherLeaders(transaction, member, 0)
  await removeOrganizationMember(transaction, member.id)
}

/**
 * Changes the level of a member of a project. Throws `HttpError` (409) when a private project would lose its last administrator. Call
 * it inside a transaction.
 */
export const changeProjectLevel = async (
  transaction: Metadata,
  project: Project,
  member: ProjectMember,
  level: ProjectLevel,
  now: number,
): Promise<void> => {
  if (!isAdministrator({ ...member, level })) await requireOtherAdministrator(transaction, project, member.userId)
  await setProjectLevel(transaction, member.id, level, now)
}

/** Removes a member of a project itself. Throws `HttpError` (409) as `changeProjectLevel`. */
export const leaveProject = async (transaction: Metadata, project: Project, member: ProjectMember): Promise<void> => {
  await requireOtherAdministrator(transaction, project, member.userId)
  await removeProjectMember(transaction, member.id)
}
