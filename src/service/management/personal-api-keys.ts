import { isDeepStrictEqual } from 'node:util'
import * as Type from 'typebox'
import type { Static } from 'typebox'
import { changeAuthorized } from '../auth/authorize.ts'
import type { Caller } from '../auth/caller.ts'
import { isWithinLimits, requireWithinKey } from '../auth/grant-rules.ts'
import { CURRENT } from '../auth/project-access.ts'
import { getCaller } from '../auth/request-access.ts'
import { notFound } from '../http-error.ts'
import { refTo } from '../schema/types.ts'
import {
  findPersonalApiKeyById,
  listPersonalApiKeys,
  removePersonalApiKey,
  updatePersonalApiKey,
} from '../store/metadata/keys.ts'
import type { PersonalApiKey } from '../store/metadata/keys.ts'
import type { Metadata } from '../store/metadata/open.ts'
import type { Api } from './api.ts'
import { checkVersion } from './change.ts'
import { checkNewKeyFields, createKey, readKeyFields } from './key-fields.ts'
import { PersonalApiKeyChange, PersonalApiKeyInput, PersonalApiKeySchema } from './schema/personal-api-key.ts'
import { toIsoTime, toIsoTimeOrNull } from '../to-iso-time.ts'
import { parseNumericId } from '../parse-numeric-id.ts'

/** Dependencies of the personal API keys. */
export interface PersonalApiKeysOptions {
  readonly metadata: Metadata
  /** Milliseconds since 1970. */
  readonly now: () => number
}

const toBody = (key: PersonalApiKey, value?: string): Static<typeof PersonalApiKeySchema> => ({
  id: String(key.id),
  label: key.label,
  scopes: [...key.scopes],
  scoped_teams: [...key.projectIds],
  scoped_organizations: [...key.organizationIds],
  expires_at: toIsoTimeOrNull(key.expiresAt),
  ...(value !== undefined && { value }),
  mask_value: `${key.hint}…`,
  user_id: key.userId,
  last_used_at: toIsoTimeOrNull(key.lastUsedAt),
  version: key.version,
  created_at: toIsoTime(key.createdAt),
})

/** Adds the personal API keys of the caller. The key itself is answered once, when it is created. */
export const addPersonalApiKeys = (api: Api, { metadata, now }: PersonalApiKeysOptions): void => {
  const tags = ['personal_api_keys']
  const params = Type.Object({
    id: Type.String({ description: 'Id of the key, or `@current` for the key of the request.' }),
  })
  const read = { access: { kind: 'personalKey', scope: 'personal_api_key:read' } } as const
  const write = { access: { kind: 'personalKey', scope: 'personal_api_key:write', checksLimits: true } } as const
  const Key = refTo(PersonalApiKeySchema, { description: 'The key.' })

  const getKey = async (transaction: Metadata, { key, user }: Caller, id: string): Promise<PersonalApiKey> => {
    const number = id === CURRENT ? key.id : parseNumericId(id)
    const stored = number === null ? undefined : await findPersonalApiKeyById(transaction, number)
    if (stored?.userId === user.id && isWithinLimits(stored, key)) return stored
    throw notFound(
      `You have no personal API key with the id ${id} within the limits of this one. GET the list to see all.`,
    )
  }

  api.get(
    '/api/personal_api_keys/',
    {
      config: read,
      schema: {
        operationId: 'personal_api_keys_list',
        summary: 'Lists the keys of your user, for a limited key those within its limits',
        tags,
        response: { 200: Type.Array(refTo(PersonalApiKeySchema), { description: 'All keys, not in pages.' }) },
      },
    },
    async (request) => {
      const { key, user } = getCaller(request)
      const keys = await listPersonalApiKeys(metadata, user.id)
      return keys.filter((each) => isWithinLimits(each, key)).map((each) => toBody(each))
    },
  )
  api.post(
    '/api/personal_api_keys/',
    {
      config: write,
      schema: {
        operationId: 'personal_api_keys_create',
        summary: 'Creates a key; its value is shown only once',
        tags,
        body: PersonalApiKeyInput,
        response: { 201: Key },
      },
    },
    async (request, reply) => {
      const created = await changeAuthorized(metadata, request, now, (transaction) =>
        createKey(transaction, getCaller(request), request.body, now()),
      )
      return reply.status(201).send(toBody(created, created.key))
    },
  )
  api.get(
    '/api/personal_api_keys/:id/',
    {
      config: read,
      schema: {
        operationId: 'personal_api_keys_retrieve',
        summary: 'Reads a key, without its value',
        tags,
        params,
        response: { 200: Key },
      },
    },
    async (request) => toBody(await getKey(metadata, getCaller(request), request.params.id)),
  )
  api.patch(
    '/api/personal_api_keys/:id/',
    {
      config: write,
      schema: {
        operationId: 'personal_api_keys_partial_update',
        summary: 'Changes the label, the scopes, the limits or the expiry of a key',
        tags,
        params,
        body: PersonalApiKeyChange,
        response: { 200: Key },
      },
    },
    (request) =>
      changeAuthorized(metadata, request, now, async (transaction) => {
        const caller = getCaller(request)
        const stored = await getKey(transaction, caller, request.params.id)
        checkVersion(stored, request.body)
        requireWithinKey(stored, caller.key)
        const fields = readKeyFields(request.body, stored)
        if (!isDeepStrictEqual({ ...fields, label: stored.label }, readKeyFields({}, stored))) {
          requireWithinKey(fields, caller.key)
          await checkNewKeyFields(transaction, caller, fields, stored, now())
        }
        if (!isDeepStrictEqual(fields, readKeyFields({}, stored)))
          await updatePersonalApiKey(transaction, stored.id, fields)
        return toBody(await getKey(transaction, caller, String(stored.id)))
      }),
  )
  api.delete(
    '/api/personal_api_keys/:id/',
    {
      config: write,
      schema: {
        operationId: 'personal_api_keys_destroy',
        summary: 'Revokes a key at once',
        tags,
        params,
        response: { 204: Type.Null({ description: 'Revoked.' }) },
      },
    },
    async (request, reply) => {
      await changeAuthorized(metadata, request, now, async (transaction) => {
        const caller = getCaller(request)
        const stored = await getKey(transaction, caller, request.params.id)
        requireWithinKey(stored, caller.key)
        await removePersonalApiKey(transaction, stored.id)
      })
      return reply.status(204).send(null)
    },
  )
}
