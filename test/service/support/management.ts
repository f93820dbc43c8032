import type { AppParts } from '../../../src/service/app.ts'
import { openApp } from './app.ts'

/** An answer of the management API. */
export interface ManagementResponse {
  readonly status: number
  /** Undefined for an empty body. */
  // oxlint-disable-next-line typescript/no-explicit-any -- tests look into answers
  readonly body: any
  readonly headers: Readonly<Record<string, unknown>>
}

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

/** The routes of `openApp`, and `ask`, which calls one under the project's path with a key that may do everything. */
export const openManagement = async (replaced: Partial<AppParts> = {}) => {
  const service = await openApp(replaced)
  const headers = { authorization: `Bearer ${service.key}` }
  const request = async (
    method: Method,
    path: string,
    body?: unknown,
    family = 'environments',
  ): Promise<ManagementResponse> => {
    const url = `/api/${family}/${service.project.id}/${path}`
    const payload = body === undefined ? {} : { payload: JSON.stringify(body) }
    const answer = await service.app.inject({ method, url, headers, ...payload })
    return {
      status: answer.statusCode,
      body: answer.body === '' ? undefined : answer.json(),
      headers: answer.headers,
    }
  }
  /** The values of flags for a person, as clients get them. */
  const decide = async (distinct_id: string, given: object = {}): Promise<Record<string, unknown>> => {
    const payload = JSON.stringify({ api_key: service.project.apiKey, distinct_id, ...given })
    return (await service.app.inject({ method: 'POST', url: '/decide?v=3', payload })).json().featureFlags
  }
  return { ...service, request, decide }
}
