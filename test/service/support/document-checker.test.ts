import { expect, test } from 'vitest'
import { openApp } from './app.ts'
import { createDocumentChecker } from './document-checker.ts'
import type { CheckedAnswer } from './document-checker.ts'

const ERROR = { type: 'invalid_request', code: 'not_found', detail: 'There is nothing.', attr: null }
const STATUS = { complete: true, error: false }

const createCheck = async () => {
  const { app } = await openApp()
  const check = createDocumentChecker((await app.inject('/api/schema/')).json())
  return ({ body, ...answer }: Omit<Partial<CheckedAnswer>, 'body'> & { readonly body?: unknown }) => {
    const text = body === undefined ? '' : JSON.stringify(body)
    check({ method: 'GET', url: '/api/users/', status: 200, contentType: 'application/json', body: text, ...answer })
  }
}

test('accepts answers that the OpenAPI document describes, and everything outside of the API', async () => {
  const check = await createCheck()
  check({ body: { count: 0, next: null, previous: null, results: [] } })
  check({ url: '/api/organizations/@current/', status: 404, body: ERROR })
  check({ url: '/api/nothing/', status: 404, body: ERROR })
  check({ method: 'DELETE', url: '/api/environments/1/session_recording_playlists/x', status: 405 })
  check({ url: '/healthz', status: 418, body: 'anything' })
})

test.each([
  ['an unknown path', { url: '/api/nothing/', body: {} }, 'has no such operation'],
  ['an unknown method', { method: 'PUT', body: {} }, 'has no such operation'],
  ['an undocumented status', { status: 418, body: ERROR }, 'does not have this status'],
  ['another body', { body: { count: 0, next: null, previous: null } }, "must have required property 'results'"],
  ['another error', { status: 401, body: { error: 'no' } }, "must have required property 'code'"],
  ['another error of an unknown path', { url: '/api/nothing/', status: 404, body: {} }, 'the body is not an error'],
  [
    'a body that should be empty',
    { method: 'DELETE', url: '/api/personal_api_keys/1/', status: 204, body: {} },
    'no body',
  ],
  ['another media type', { contentType: 'text/html', body: {} }, 'no body of the type text/html'],
  ['an incomplete item', { url: '/api/projects/1/query/x/', body: { query_status: STATUS } }, 'query_status'],
])('refuses an answer with %s', async (_, answer, problem) => {
  const check = await createCheck()
  expect(() => check(answer)).toThrow(problem)
})
