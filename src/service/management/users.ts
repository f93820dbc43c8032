import { isDeepStrictEqual } from 'node:util'
import * as Type from 'typebox'
import { changeAuthorized } from '../auth/authorize.ts'
import type { Caller } from '../auth/caller.ts'
import { listOrganizationAccess } from '../auth/organization-access.ts'
import { getCaller } from '../auth/request-access.ts'
import { badRequest, forbidden, notFound } from '../http-error.ts'
import { requestUrl } from '../http/request-url.ts'
import { ListOf, PageQuery } from '../schema/list-of.ts'
import { refTo } from '../schema/types.ts'
import type { Metadata } from '../store/metadata/open.ts'
import { findUserByEmail, findUserById, listColleagues, updateUser } from '../store/metadata/users.ts'
import type { User } from '../store/metadata/users.ts'
import type { Api } from './api.ts'
import { checkVersion } from './change.ts'
import { ME } from './member-access.ts'
import { readPage, toListBody } from './page.ts'
import { AccountChange, AccountSchema, MAX_HEDGEHOG_CONFIG_BYTES } from './schema/user.ts'
import { toAccountBody } from './user-body.ts'

/** Dependencies of the users. */
export interface UsersOptions {
  readonly metadata: Metadata
  /** Milliseconds since 1970. */
  readonly now: () => number
}

/** Throws `HttpError` (400) for a `hedgehog_config` that is too large; a schema cannot count bytes. */
const checkSize = (hedgehogConfig: object | undefined): void => {
  if (hedgehogConfig === undefined || Buffer.byteLength(JSON.stringify(hedgehogConfig)) <= MAX_HEDGEHOG_CONFIG_BYTES)
    return
  throw badRequest(
    'invalid_input',
    `"hedgehog_config" must be at most ${MAX_HEDGEHOG_CONFIG_BYTES} bytes of JSON.`,
    'hedgehog_config',
  )
}

/** Adds the users: everybody sees those of the organisations that the key may see, and changes only themselves. */
export const addUsers = (api: Api, { metadata, now }: UsersOptions): void => {
  const tags = ['users']
  const params = Type.Object({ uuid: Type.String({ description: 'UUID of the user, or `@me`.' }) })
  const read = { access: { kind: 'personalKey', scope: 'user:read' } } as const
  const write = { access: { kind: 'personalKey', scope: 'user:write' } } as const
  const Account = refTo(AccountSchema, { description: 'The user.' })

  const listVisible = async (store: Metadata, caller: Caller): Promise<readonly User[]> => {
    const organizations = await listOrganizationAccess(store, caller)
    const ids = organizations.map(({ organization }) => organization.id)
    return listColleagues(store, caller.user.id, ids)
  }
  const getUser = async (store: Metadata, caller: Caller, uuid: string): Promise<User> => {
    const id = uuid.toLowerCase()
    const user = id === ME ? caller.user : (await listVisible(store, caller)).find((each) => each.uuid === id)
    if (user) return user
    throw notFound(`There is no user ${uuid} in the organisations of your key.`)
  }

  api.get(
    '/api/users/',
    {
      config: read,
      schema: {
        operationId: 'users_list',
        summary: 'Lists the users of your organisations, in pages',
        tags,
        querystring: Type.Object(PageQuery),
        response: { 200: ListOf(refTo(AccountSchema)) },
      },
    },
    async (request) => {
      const page = readPage(request.query)
      const users = await listVisible(metadata, getCaller(request))
      const items = users.slice(page.offset, page.offset + page.limit).map(toAccountBody)
      return toListBody({ count: users.length, items }, page, requestUrl(request))
    },
  )
  api.get(
    '/api/users/:uuid/',
    {
      config: read,
      schema: { operationId: 'users_retrieve', summary: 'Reads a user', tags, params, response: { 200: Account } },
    },
    async (request) => toAccountBody(await getUser(metadata, getCaller(request), request.params.uuid)),
  )
  api.patch(
    '/api/users/:uuid/',
    {
      config: write,
      schema: {
        operationId: 'users_partial_update',
        summary: 'Changes the user of the key',
        tags,
        params,
        body: AccountChange,
        response: { 200: Account },
      },
    },
    async (request) => {
      checkSize(request.body.hedgehog_config)
      return changeAuthorized(metadata, request, now, async (transaction) => {
        const caller = getCaller(request)
        const stored = await getUser(transaction, caller, request.params.uuid)
        const { id } = stored
        if (id !== caller.user.id) throw forbidden('permission_denied', 'You can change only your own user.')
        if (caller.key.organizationIds.length > 0)
          throw forbidden(
            'permission_denied',
            'This key is limited to some organisations, so it cannot change its user.',
          )
        const { email, first_name, last_name, hedgehog_config, role_at_organization } = request.body
        checkVersion(stored, request.body)
        const isNewEmail = email !== undefined && email.toLowerCase() !== stored.email
        if (isNewEmail && (await findUserByEmail(transaction, email)))
          throw badRequest('unique', 'Another user has this email address.', 'email')
        const fields = {
          ...(isNewEmail && { email, isEmailVerified: false }),
          ...(first_name !== undefined && { firstName: first_name }),
          ...(last_name !== undefined && { lastName: last_name }),
          ...(hedgehog_config !== undefined && { hedgehogConfig: hedgehog_config as User['hedgehogConfig'] }),
          ...(role_at_organization !== undefined && { roleAtOrganization: role_at_organization }),
        }
        const isChanged = !isDeepStrictEqual({ ...stored, ...fields }, stored)
        if (isChanged) await updateUser(transaction, id, fields, now())
        return toAccountBody((await findUserById(transaction, id))!)
      })
    },
  )
}
