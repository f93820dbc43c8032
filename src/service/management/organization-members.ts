import type { FastifyRequest } from 'fastify'
import * as Type from 'typebox'
import type { Static } from 'typebox'
import { changeAuthorized } from '../auth/authorize.ts'
import { getCaller, getOrganization } from '../auth/request-access.ts'
import { requireLevel } from '../auth/project-access.ts'
import { forbidden, notFound } from '../http-error.ts'
import { requestUrl } from '../http/request-url.ts'
import { LEVELS } from '../permission/levels.ts'
import { changeOrganizationLevel, leaveOrganization } from '../people/change-members.ts'
import { ListOf, PageQuery } from '../schema/list-of.ts'
import { OrganizationParams } from '../schema/organization-params.ts'
import { refTo } from '../schema/types.ts'
import type { Metadata } from '../store/metadata/open.ts'
import { findOrganizationMember, listOrganizationMembersPage } from '../store/metadata/organization-members.ts'
import type { OrganizationMember } from '../store/metadata/organization-members.ts'
import { findUserByUuid, loadUsers } from '../store/metadata/users.ts'
import type { User } from '../store/metadata/users.ts'
import type { Api } from './api.ts'
import { checkVersion } from './change.ts'
import { ME, requireNotAbove } from './member-access.ts'
import { readPage, toListBody } from './page.ts'
import { OrganizationMemberChange, OrganizationMemberSchema } from './schema/organization.ts'
import { toUserBody } from './user-body.ts'
import { toIsoTime } from '../to-iso-time.ts'

/** Dependencies of the members of an organisation. */
export interface OrganizationMembersOptions {
  readonly metadata: Metadata
  /** Milliseconds since 1970. */
  readonly now: () => number
}

const toBody = (member: OrganizationMember, user: User): Static<typeof OrganizationMemberSchema> => ({
  id: member.id,
  user: toUserBody(user),
  level: member.level,
  version: member.version,
  joined_at: toIsoTime(member.joinedAt),
  updated_at: toIsoTime(member.updatedAt),
})

/** Adds the members of an organisation. Everyone in it sees them, administrators change them, and members may leave. */
export const addOrganizationMembers = (api: Api, { metadata, now }: OrganizationMembersOptions): void => {
  const tags = ['organization_members']
  const memberParams = Type.Object({
    ...OrganizationParams,
    user__uuid: Type.String({ description: 'UUID of the user, or `@me`.' }),
  })
  const read = { access: { kind: 'personalKey', scope: 'organization_member:read' } } as const
  const write = { access: { kind: 'personalKey', scope: 'organization_member:write' } } as const
  const Member = refTo(OrganizationMemberSchema, { description: 'The member.' })

  const getMember = async (
    transaction: Metadata,
    request: FastifyRequest,
    uuid: string,
  ): Promise<{ readonly member: OrganizationMember; readonly user: User }> => {
    const user = uuid === ME ? getCaller(request).user : await findUserByUuid(transaction, uuid)
    const member =
      user && (await findOrganizationMember(transaction, getOrganization(request).organization.id, user.id))
    if (user && member) return { member, user }
    throw notFound(`This organisation has no member with the user uuid ${uuid}. GET the list to see all of them.`)
  }

  api.get(
    '/api/organizations/:organization_id/members/',
    {
      config: read,
      schema: {
        operationId: 'organization_members_list',
        summary: 'Lists the members of an organisation, in pages',
        tags,
        params: Type.Object(OrganizationParams),
        querystring: Type.Object(PageQuery),
        response: { 200: ListOf(refTo(OrganizationMemberSchema)) },
      },
    },
    async (request) => {
      const page = readPage(request.query)
      const { id } = getOrganization(request).organization
      const { count, items } = await listOrganizationMembersPage(metadata, id, page)
      const users = await loadUsers(
        metadata,
        items.map(({ userId }) => userId),
      )
      // A membership always has its user.
      const bodies = items.map((member) => toBody(member, users.get(member.userId)!))
      return toListBody({ count, items: bodies }, page, requestUrl(request))
    },
  )
  api.get(
    '/api/organizations/:organization_id/members/:user__uuid/',
    {
      config: read,
      schema: {
        operationId: 'organization_members_retrieve',
        summary: 'Reads a member of an organisation',
        tags,
        params: memberParams,
        response: { 200: Member },
      },
    },
    async (request) => {
      const { member, user } = await getMember(metadata, request, request.params.user__uuid)
      return toBody(member, user)
    },
  )
  api.patch(
    '/api/organizations/:organization_id/members/:user__uuid/',
    {
      config: { access: { ...write.access, level: LEVELS.administrator } },
      schema: {
        operationId: 'organization_members_partial_update',
        summary: 'Changes the level of a member of an organisation',
        tags,
        params: memberParams,
        body: OrganizationMemberChange,
        response: { 200: Member },
      },
    },
    (request) =>
      changeAuthorized(metadata, request, now, async (transaction) => {
        const { level: ownLevel, organization } = getOrganization(request)
        const { member, user } = await getMember(transaction, request, request.params.user__uuid)
        checkVersion(member, request.body)
        const { level = member.level } = request.body
        if (level !== member.level) {
          if (user.id === getCaller(request).user.id)
            throw forbidden('permission_denied', 'You cannot change your own level.', 'level')
          requireNotAbove(level, ownLevel)
          requireNotAbove(member.level, ownLevel)
          await changeOrganizationLevel(transaction, member, level, now())
        }
        return toBody((await findOrganizationMember(transaction, organization.id, user.id))!, user)
      }),
  )
  api.delete(
    '/api/organizations/:organization_id/members/:user__uuid/',
    {
      config: write,
      schema: {
        operationId: 'organization_members_destroy',
        summary: 'Removes a member of an organisation; members may remove themselves',
        tags,
        params: memberParams,
        response: { 204: Type.Null({ description: 'Removed.' }) },
      },
    },
    async (request, reply) => {
      await changeAuthorized(metadata, request, now, async (transaction) => {
        const { level: ownLevel } = getOrganization(request)
        const { member, user } = await getMember(transaction, request, request.params.user__uuid)
        if (user.id !== getCaller(request).user.id) {
          requireLevel(ownLevel, LEVELS.administrator, 'this organisation')
          requireNotAbove(member.level, ownLevel)
        }
        await leaveOrganization(transaction, member)
      })
      return reply.status(204).send(null)
    },
  )
}
