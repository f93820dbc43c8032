import type { FastifyRequest } from 'fastify'
import type { Caller } from './caller.ts'
import type { OrganizationAccess } from './organization-access.ts'
import type { ProjectAccess } from './project-access.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** Set on routes whose access is `personalKey`. Read it with `getCaller`. */
    caller: Caller | null
    /** Set on such routes with a project in the path. Read it with `getProject`. */
    projectAccess: ProjectAccess | null
    /** Set on such routes with an organisation in the path. Read it with `getOrganization`. */
    organizationAccess: OrganizationAccess | null
  }
}

/** The caller of a request, on a route whose access is `personalKey`. */
export const getCaller = ({ caller }: FastifyRequest): Caller => {
  if (caller === null) throw new Error('This route declares no access with a personal API key.')
  return caller
}

/** The project in the path of a request, and the caller's level in it. */
export const getProject = ({ projectAccess }: FastifyRequest): ProjectAccess => {
  if (projectAccess === null) throw new Error('This route has no project in its path.')
  return projectAccess
}

/** The organisation in the path of a request, and the caller's level in it. */
export const getOrganization = ({ organizationAccess }: FastifyRequest): OrganizationAccess => {
  if (organizationAccess === null) throw new Error('This route has no organisation in its path.')
  return organizationAccess
}
