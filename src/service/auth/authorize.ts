import type { FastifyRequest } from 'fastify'
import { notFound } from '../http-error.ts'
import { LEVELS } from '../permission/levels.ts'
import type { Metadata } from '../store/metadata/open.ts'
import type { Caller } from './caller.ts'
import { findOrganizationAccess } from './organization-access.ts'
import { findProjectAccess, requireAllProjects, requireLevel, requireScope } from './project-access.ts'
import { readCallerAgain } from './read-caller.ts'
import { getCaller } from './request-access.ts'

/** The parameters of a path that name a project or an organisation. */
interface PlaceParams {
  readonly project_id?: string
  readonly organization_id?: string
}

/**
 * Checks that a caller may send a request, by the access that its route declares, and sets what `getCaller`, `getProject` and
 * `getOrganization` return. Throws `HttpError` (403, 404).
 */
export const authorize = async (metadata: Metadata, request: FastifyRequest, caller: Caller): Promise<void> => {
  const { params, routeOptions } = request
  const { access } = routeOptions.config
  if (access?.kind !== 'personalKey') throw new Error(`${routeOptions.url} declares no access with a personal API key.`)
  const { scope, level = LEVELS.member, checksLimits = false } = access
  const { project_id: projectId, organization_id: organizationId } = params as PlaceParams
  request.caller = caller
  // First of all whether the place exists for this caller: the other errors would tell that it does.
  if (projectId !== undefined) request.projectAccess = await findProjectAccess(metadata, caller, projectId)
  if (organizationId !== undefined)
    request.organizationAccess = await findOrganizationAccess(metadata, caller, organizationId)
  requireScope(caller.key, scope)
  if (projectId === undefined && !checksLimits && scope.endsWith(':write')) requireAllProjects(caller.key)
  if (request.projectAccess) requireLevel(request.projectAccess.level, level, 'this project')
  if (request.organizationAccess) requireLevel(request.organizationAccess.level, level, 'this organisation')
}

/** Runs a change in a transaction that begins with the check of its caller (`changeAuthorized`). */
export type Transact = <Result>(change: (transaction: Metadata) => Promise<Result>) => Promise<Result>

/**
 * Runs the change of a request in a transaction, which begins by reading key, user and level of the request again,
 * and checking them as before: a body can take seconds to arrive and to decode, and the caller may lose everything meanwhile.
 * Rejects with `HttpError` (401, 403, 404), or as the change does.
 */
export const changeAuthorized = <Result>(
  metadata: Metadata,
  request: FastifyRequest,
  now: () => number,
  change: (transaction: Metadata) => Promise<Result>,
): Promise<Result> =>
  metadata.transaction().execute(async (transaction) => {
    const projectId = request.projectAccess?.project.id
    await authorize(transaction, request, await readCallerAgain(transaction, getCaller(request), now()))
    // `@current` can mean another project by now; the change is for the one that it meant.
    if (request.projectAccess?.project.id !== projectId)
      throw notFound('The project that @current means for this personal API key has changed. Send the request again.')
    return change(transaction)
  })
