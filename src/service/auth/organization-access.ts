import { notFound } from '../http-error.ts'
import type { Level } from '../permission/levels.ts'
import type { Metadata } from '../store/metadata/open.ts'
import { listMembershipsOfUser } from '../store/metadata/organization-members.ts'
import { findOrganization } from '../store/metadata/organizations.ts'
import type { Organization } from '../store/metadata/organizations.ts'
import type { Caller } from './caller.ts'
import { CURRENT, listProjectAccess } from './project-access.ts'

/** An organisation of a caller, and the caller's level in it. */
export interface OrganizationAccess {
  readonly organization: Organization
  readonly level: Level
}

/** The organisations that a caller may see: those of the user, and of a limited key those of its projects. */
export const listOrganizationAccess = async (
  metadata: Metadata,
  caller: Caller,
): Promise<readonly OrganizationAccess[]> => {
  const { projectIds, organizationIds } = caller.key
  const projects = projectIds.length === 0 ? null : await listProjectAccess(metadata, caller)
  const memberships = (await listMembershipsOfUser(metadata, caller.user.id)).filter(
    ({ organizationId }) =>
      (organizationIds.length === 0 || organizationIds.includes(organizationId)) &&
      (projects === null || projects.some(({ project }) => project.organizationId === organizationId)),
  )
  return Promise.all(
    memberships.map(async ({ organizationId, level }) => ({
      // A membership always has its organisation.
      organization: (await findOrganization(metadata, organizationId))!,
      level,
    })),
  )
}

/** Finds an organisation of a caller; `@current` is that of the oldest membership. Throws `HttpError` (404). */
export const findOrganizationAccess = async (
  metadata: Metadata,
  caller: Caller,
  id: string,
): Promise<OrganizationAccess> => {
  const all = await listOrganizationAccess(metadata, caller)
  const access = id === CURRENT ? all[0] : all.find(({ organization }) => organization.id === id.toLowerCase())
  if (access) return access
  throw notFound(`There is no organisation ${id} that this personal API key may see.`)
}
