import * as Type from 'typebox'
import type { Static } from 'typebox'
import { changeAuthorized } from '../auth/authorize.ts'
import { getCaller, getOrganization } from '../auth/request-access.ts'
import { findOrganizationAccess, listOrganizationAccess } from '../auth/organization-access.ts'
import type { OrganizationAccess } from '../auth/organization-access.ts'
import { requestUrl } from '../http/request-url.ts'
import { LEVELS } from '../permission/levels.ts'
import { ListOf, PageQuery } from '../schema/list-of.ts'
import { OrganizationParams } from '../schema/organization-params.ts'
import { refTo } from '../schema/types.ts'
import type { Metadata } from '../store/metadata/open.ts'
import { renameOrganization } from '../store/metadata/organizations.ts'
import type { Api } from './api.ts'
import { checkVersion } from './change.ts'
import { readPage, toListBody } from './page.ts'
import { OrganizationChange, OrganizationSchema } from './schema/organization.ts'
import { toIsoTime } from '../to-iso-time.ts'

/** Dependencies of the organisations. */
export interface OrganizationsOptions {
  readonly metadata: Metadata
  /** Milliseconds since 1970. */
  readonly now: () => number
}

const toBody = ({ organization, level }: OrganizationAccess): Static<typeof OrganizationSchema> => ({
  id: organization.id,
  name: organization.name,
  membership_level: level,
  version: organization.version,
  created_at: toIsoTime(organization.createdAt),
  updated_at: toIsoTime(organization.updatedAt),
})

/** Adds the organisations of the caller. */
export const addOrganizations = (api: Api, { metadata, now }: OrganizationsOptions): void => {
  const tags = ['organizations']
  const params = Type.Object(OrganizationParams)
  const Organization = refTo(OrganizationSchema, { description: 'The organisation.' })

  api.get(
    '/api/organizations/',
    {
      config: { access: { kind: 'personalKey', scope: 'organization:read' } },
      schema: {
        operationId: 'organizations_list',
        summary: 'Lists your organisations, in pages',
        tags,
        querystring: Type.Object(PageQuery),
        response: { 200: ListOf(refTo(OrganizationSchema)) },
      },
    },
    async (request) => {
      const page = readPage(request.query)
      const all = await listOrganizationAccess(metadata, getCaller(request))
      const items = all.slice(page.offset, page.offset + page.limit).map(toBody)
      return toListBody({ count: all.length, items }, page, requestUrl(request))
    },
  )
  api.get(
    '/api/organizations/:organization_id/',
    {
      config: { access: { kind: 'personalKey', scope: 'organization:read' } },
      schema: {
        operationId: 'organizations_retrieve',
        summary: 'Reads an organisation',
        tags,
        params,
        response: { 200: Organization },
      },
    },
    (request) => Promise.resolve(toBody(getOrganization(request))),
  )
  api.patch(
    '/api/organizations/:organization_id/',
    {
      config: { access: { kind: 'personalKey', scope: 'organization:write', level: LEVELS.administrator } },
      schema: {
        operationId: 'organizations_partial_update',
        summary: 'Changes the name of an organisation',
        tags,
        params,
        body: OrganizationChange,
        response: { 200: Organization },
      },
    },
    (request) =>
      changeAuthorized(metadata, request, now, async (transaction) => {
        const { organization } = getOrganization(request)
        checkVersion(organization, request.body)
        const { name = organization.name } = request.body
        if (name !== organization.name) await renameOrganization(transaction, organization.id, name, now())
        return toBody(await findOrganizationAccess(transaction, getCaller(request), organization.id))
      }),
  )
}
