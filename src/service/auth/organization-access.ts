import { notFound } from '../http-error.ts'
import type { Level } from '../permission/levels.ts'
import type { Metadata } from '../store/metadata/open.ts'
import { listMembershipsOfUser } from '../store/metadata/organization-members.ts'
import { loadOrganizations } from '../store/metadata/organizations.ts'
import type { Organization } from '../store/metadata/organizations.ts'
import { findProjectById } from '../store/metadata/projects.ts'
import type { Caller, KeyHolder } from './caller.ts'
import { CURRENT, listProjectAccess } from './project-access.ts'

/** An organisation of a caller, and the caller's level in it. */
export interface OrganizationAccess {
  readonly organization: Organization
  readonly level: Level
}

/** The organisations that a user with a key may see: those of the user, and of a limited key those of its projects. */
export const listOrganizationAccess = async (
  metadata: Metadata,
  holder: KeyHolder,
): Promise<readonly OrganizationAccess[]> => {
  const { projectIds, organizationIds } = holder.key
  const projects = projectIds.length === 0 ? null : await listProjectAccess(metadata, holder)
  const memberships = (await listMembershipsOfUser(metadata, holder.user.id)).filter(
    ({ organizationId }) =>
      (organizationIds.length === 0 || organizationIds.includes(organizationId)) &&
      (projects === null || projects.some(({ project }) => project.organizationId === organizationId)),
  )
  const organizations = await loadOrganizations(
    metadata,
    memberships.map(({ organizationId }) => organizationId),
  )
  // A membership always has its organisation.
  return memberships.map(({ organizationId, level }) => ({ organization: organizations.get(organizationId)!, level }))
}

/**
 * Finds an organisation of a caller. `@current` is the organisation of the first project that the key is limited to, or the first
 * organisation that it is limited to; without such limits, that of the oldest membership. Throws `HttpError` (404).
 */
export const findOrganizationAccess = async (
  metadata: Metadata,
  caller: Caller,
  id: string,
): Promise<OrganizationAccess> => {
  const all = await listOrganizationAccess(metadata, caller)
  const wanted = id === CURRENT ? await findCurrentId(metadata, caller) : id.toLowerCase()
  const access = wanted === null ? all[0] : all.find(({ organization }) => organization.id === wanted)
  if (access) return access
  throw notFound(`There is no organisation ${id} that this personal API key may see.`)
}

/** The id of the organisation that a key is limited to first; null without limits. */
const findCurrentId = async (metadata: Metadata, { key }: Caller): Promise<string | null> => {
  const [projectId] = key.projectIds
  if (projectId === undefined) return key.organizationIds[0] ?? null
  // No project is ever removed.
  return (await findProjectById(metadata, projectId))!.organizationId
}
