import type { FastifyInstance } from 'fastify'
import type { AppParts } from '../../../src/service/app.ts'
import { ALL_SCOPES } from '../../../src/service/permission/scopes.ts'
import type { Grant } from '../../../src/service/permission/scopes.ts'
import type { Level } from '../../../src/service/permission/levels.ts'
import { createPersonalApiKey } from '../../../src/service/store/metadata/keys.ts'
import { addOrganizationMember } from '../../../src/service/store/metadata/organization-members.ts'
import { createUser } from '../../../src/service/store/metadata/users.ts'
import { openApp } from './app.ts'

/** A response of the management API. */
export interface ManagementResponse {
  readonly status: number
  /** Undefined for an empty body. */
  // oxlint-disable-next-line typescript/no-explicit-any -- tests inspect response bodies
  readonly body: any
  readonly headers: Readonly<Record<string, unknown>>
}

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

/** Creates a function that sends requests with a key; `path` is everything after the origin. */
export const createSender =
  (app: FastifyInstance, key: string | undefined) =>
  async (method: Method, path: string, body?: unknown): Promise<ManagementResponse> => {
    const payload = body === undefined ? {} : { payload: JSON.stringify(body) }
    const headers: Record<string, string> = key === undefined ? {} : { authorization: `Bearer ${key}` }
    const response = await app.inject({ method, url: path, headers, ...payload })
    return {
      status: response.statusCode,
      body: response.body === '' ? undefined : response.json(),
      headers: response.headers,
    }
  }

/** The routes of `openApp` and `request`, which calls one under the project's path with a key that has all scopes. */
export const openManagement = async (overrides: Partial<AppParts> = {}) => withManagement(await openApp(overrides))

/** Adds functions that send requests and add users to the routes of a test. */
export const withManagement = (service: Awaited<ReturnType<typeof openApp>>) => {
  const headers = { authorization: `Bearer ${service.personalApiKey}` }
  const request = async (
    method: Method,
    path: string,
    body?: unknown,
    family = 'environments',
  ): Promise<ManagementResponse> => {
    const url = `/api/${family}/${service.project.id}/${path}`
    const payload = body === undefined ? {} : { payload: JSON.stringify(body) }
    const response = await service.app.inject({ method, url, headers, ...payload })
    return {
      status: response.statusCode,
      body: response.body === '' ? undefined : response.json(),
      headers: response.headers,
    }
  }
  /** Returns the flag values for a person, as clients get them. */
  const decide = async (distinct_id: string, fields: object = {}): Promise<Record<string, unknown>> => {
    const payload = JSON.stringify({ api_key: service.project.apiKey, distinct_id, ...fields })
    return (await service.app.inject({ method: 'POST', url: '/decide?v=3', payload })).json().featureFlags
  }
  /** Adds a user to the organisation, and returns a function that sends requests with a key of that user. */
  const addUser = async (
    email: string,
    level: Level,
    { scopes = [ALL_SCOPES] }: { readonly scopes?: readonly Grant[] } = {},
  ) => {
    const { metadata, project } = service
    const user = await createUser(metadata, { email }, 1000)
    await addOrganizationMember(metadata, { organizationId: project.organizationId, userId: user.id, level }, 1000)
    const { key } = await createPersonalApiKey(metadata, { userId: user.id, label: email, scopes, now: 1000 })
    return { user, key, send: createSender(service.app, key) }
  }
  const send = createSender(service.app, service.personalApiKey)
  return { ...service, request, decide, addUser, send }
}
