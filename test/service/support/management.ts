import type { AppParts } from '../../../src/service/app.ts'
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

/** The routes of `openApp` and `request`, which calls one under the project's path with a key that has all scopes. */
export const openManagement = async (overrides: Partial<AppParts> = {}) => {
  const service = await openApp(overrides)
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
  return { ...service, request, decide }
}
