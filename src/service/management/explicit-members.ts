import * as Type from 'typebox'
import type { Static } from 'typebox'
import { changeAuthorized } from '../auth/authorize.ts'
import { getCaller, getProject } from '../auth/request-access.ts'
import { requireLevel } from '../auth/project-access.ts'
import { badRequest, forbidden, notFound } from '../http-error.ts'
import { LEVELS } from '../permission/levels.ts'
import { changeProjectLevel, leaveProject } from '../people/change-members.ts'
import { ProjectParams } from '../schema/project-params.ts'
import { refTo } from '../schema/types.ts'
import type { Metadata } from '../store/metadata/open.ts'
import { findOrganizationMember } from '../store/metadata/organization-members.ts'
import { addProjectMember, findProjectMember, listProjectMembers } from '../store/metadata/project-members.ts'
import type { ProjectMember } from '../store/metadata/project-members.ts'
import { findUserByUuid, loadUsers } from '../store/metadata/users.ts'
import type { User } from '../store/metadata/users.ts'
import type { Api } from './api.ts'
import { checkVersion } from './change.ts'
import { ME, requireNotAbove } from './member-access.ts'
import { ExplicitMemberChange, ExplicitMemberInput, ExplicitMemberSchema } from './schema/explicit-member.ts'
import { toUserBody } from './user-body.ts'
import { toIsoTime } from '../to-iso-time.ts'

/** Dependencies of the explicit members. */
export interface ExplicitMembersOptions {
  readonly metadata: Metadata
  /** Milliseconds since 1970. */
  readonly now: () => number
}

const toBody = (member: ProjectMember, user: User): Static<typeof ExplicitMemberSchema> => ({
  id: member.id,
  level: member.level,
  parent_level: member.parentLevel,
  parent_membership_id: member.membershipId,
  joined_at: toIsoTime(member.joinedAt),
  updated_at: toIsoTime(member.updatedAt),
  user: toUserBody(user),
  user_uuid: user.uuid,
  effective_level: member.level > member.parentLevel ? member.level : member.parentLevel,
  version: member.version,
})

/** A member and its user. Throws `HttpError` (404). */
const getMember = async (
  metadata: Metadata,
  projectId: number,
  uuid: string,
  caller: User,
): Promise<{ member: ProjectMember; user: User }> => {
  const user = uuid === ME ? caller : await findUserByUuid(metadata, uuid)
  const member = user && (await findProjectMember(metadata, projectId, user.id))
  if (user && member) return { member, user }
  throw notFound(`This project has no explicit member with the user uuid ${uuid}. GET the list to see all of them.`)
}

/**
 * Adds the explicit members of a project: members of its organisation who are also members of the project itself. Everyone in
 * the project sees them, administrators change them, and members may leave.
 */
export const addExplicitMembers = (api: Api, { metadata, now }: ExplicitMembersOptions): void => {
  const tags = ['explicit_members']
  const params = Type.Object(ProjectParams)
  const memberParams = Type.Object({
    ...ProjectParams,
    parent_membership__user__uuid: Type.String({ description: 'UUID of the user, or `@me`.' }),
  })
  const read = { access: { kind: 'personalKey', scope: 'project:read' } } as const
  const write = { access: { kind: 'personalKey', scope: 'project:write' } } as const
  const administrate = {
    access: { kind: 'personalKey', scope: 'project:write', level: LEVELS.administrator },
  } as const
  const Member = refTo(ExplicitMemberSchema, { description: 'The member.' })

  api.get(
    '/explicit_members/',
    {
      config: read,
      schema: {
        operationId: 'explicit_members_list',
        summary: 'Lists all explicit members of a project',
        tags,
        params,
        response: { 200: Type.Array(refTo(ExplicitMemberSchema), { description: 'All members, not in pages.' }) },
      },
    },
    async (request) => {
      const members = await listProjectMembers(metadata, getProject(request).project.id)
      const users = await loadUsers(
        metadata,
        members.map(({ userId }) => userId),
      )
      // A membership always has its user.
      return members.map((member) => toBody(member, users.get(member.userId)!))
    },
  )
  api.post(
    '/explicit_members/',
    {
      config: administrate,
      schema: {
        operationId: 'explicit_members_create',
        summary: 'Adds a member of the organisation to a project',
        tags,
        params,
        body: ExplicitMemberInput,
        response: { 201: Member },
      },
    },
    async (request, reply) => {
      const { user_uuid: uuid, level = LEVELS.member } = request.body
      const body = await changeAuthorized(metadata, request, now, async (transaction) => {
        const { project, level: ownLevel } = getProject(request)
        const { user: caller } = getCaller(request)
        const user = await findUserByUuid(transaction, uuid)
        const membership = user && (await findOrganizationMember(transaction, project.organizationId, user.id))
        if (user === undefined || membership === undefined)
          throw badRequest(
            'does_not_exist',
            'The organisation of this project has no member with this uuid.',
            'user_uuid',
          )
        if (user.id === caller.id)
          throw forbidden('permission_denied', 'You cannot add yourself. Ask another administrator.', 'user_uuid')
        requireNotAbove(level, ownLevel)
        if (await findProjectMember(transaction, project.id, user.id))
          throw badRequest('unique', 'This user is an explicit member already. PATCH the member.', 'user_uuid')
        await addProjectMember(transaction, { projectId: project.id, membershipId: membership.id, level }, now())
        return toBody((await findProjectMember(transaction, project.id, user.id))!, user)
      })
      return reply.status(201).send(body)
    },
  )
  api.get(
    '/explicit_members/:parent_membership__user__uuid/',
    {
      config: read,
      schema: {
        operationId: 'explicit_members_retrieve',
        summary: 'Reads an explicit member',
        tags,
        params: memberParams,
        response: { 200: Member },
      },
    },
    async (request) => {
      const { parent_membership__user__uuid: uuid } = request.params
      const { member, user } = await getMember(metadata, getProject(request).project.id, uuid, getCaller(request).user)
      return toBody(member, user)
    },
  )
  api.patch(
    '/explicit_members/:parent_membership__user__uuid/',
    {
      config: administrate,
      schema: {
        operationId: 'explicit_members_partial_update',
        summary: 'Changes the level of an explicit member',
        tags,
        params: memberParams,
        body: ExplicitMemberChange,
        response: { 200: Member },
      },
    },
    (request) =>
      changeAuthorized(metadata, request, now, async (transaction) => {
        const { project, level: ownLevel } = getProject(request)
        const { user: caller } = getCaller(request)
        const { parent_membership__user__uuid: uuid } = request.params
        const { member, user } = await getMember(transaction, project.id, uuid, caller)
        const { level = member.level, user_uuid: newUuid = user.uuid } = request.body
        checkVersion(member, request.body)
        if (newUuid.toLowerCase() !== user.uuid)
          throw badRequest('immutable', 'The user of a member cannot be changed; add another member.', 'user_uuid')
        if (level !== member.level) {
          if (user.id === caller.id) throw forbidden('permission_denied', 'You cannot change your own level.', 'level')
          requireNotAbove(level, ownLevel)
          requireNotAbove(Math.max(member.level, member.parentLevel), ownLevel)
          await changeProjectLevel(transaction, project, member, level, now())
        }
        return toBody((await findProjectMember(transaction, project.id, user.id))!, user)
      }),
  )
  api.delete(
    '/explicit_members/:parent_membership__user__uuid/',
    {
      config: write,
      schema: {
        operationId: 'explicit_members_destroy',
        summary: 'Removes an explicit member; members may remove themselves',
        tags,
        params: memberParams,
        response: { 204: Type.Null({ description: 'Removed.' }) },
      },
    },
    async (request, reply) => {
      await changeAuthorized(metadata, request, now, async (transaction) => {
        const { project, level: ownLevel } = getProject(request)
        const { user: caller } = getCaller(request)
        const { parent_membership__user__uuid: uuid } = request.params
        const { member, user } = await getMember(transaction, project.id, uuid, caller)
        if (user.id !== caller.id) {
          requireLevel(ownLevel, LEVELS.administrator, 'this project')
          requireNotAbove(Math.max(member.level, member.parentLevel), ownLevel)
        }
        await leaveProject(transaction, project, member)
      })
      return reply.status(204).send(null)
    },
  )
}
