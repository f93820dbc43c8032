import { expect, test } from 'vitest'
import { shareService } from '../support/shared-service.ts'

/** The management API of a real service. A comment "API:" quotes the description of the API that the service implements. */

const service = shareService()

const send = async (
  method: string,
  path: string,
  { body, key = service.personalApiKey }: { readonly body?: object; readonly key?: string } = {},
) => {
  const headers: Record<string, string> = key === '' ? {} : { authorization: `Bearer ${key}` }
  const init = { method, headers, ...(body && { body: JSON.stringify(body) }) }
  const response = await fetch(`${service.url}${path}`, init)
  const text = await response.text()
  return { status: response.status, body: text === '' ? undefined : JSON.parse(text) }
}

const createKey = async (...scopes: string[]): Promise<string> => {
  const { body } = await send('POST', '/api/personal_api_keys/', { body: { label: 'test', scopes } })
  return body.value
}

const UUID = expect.stringMatching(/^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/)
const TIME = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)

/** Creates a user by a command, and returns the uuid. */
const createUser = async (email: string): Promise<string> =>
  /[0-9a-f]{8}-[0-9a-f-]{27}/.exec(await service.runCommand('user', 'create', email))![0]

// API: "`project_id` is a string. It identifies the project in every management path. It is obtained from the projects listing."
test('obtains the project id from the projects listing', async () => {
  const { body } = await send('GET', '/api/projects/')
  const { project_id: id } = body.results[0]
  expect(typeof id).toBe('string')
  for (const path of ['explicit_members', 'feature_flags', 'cohorts', 'surveys'])
    expect((await send('GET', `/api/environments/${id}/${path}/`)).status).toBe(200)
})

// API: | count | integer | next, previous | string (URL …) or null | results | array of the listed resource |
// API: "Pagination uses limit and offset on list endpoints."
test('paginates lists', async () => {
  for (const key of ['a', 'b', 'c'])
    await send('POST', '/api/environments/1/feature_flags/', { body: { key, filters: { groups: [{}] } } })
  const first = await send('GET', '/api/environments/1/feature_flags/?limit=2')
  expect(first.body).toMatchObject({ count: 3, previous: null, results: [{ key: 'a' }, { key: 'b' }] })
  expect(first.body.next).toBe(`${service.url}/api/environments/1/feature_flags/?limit=2&offset=2`)
  const { pathname, search } = new URL(first.body.next)
  expect((await send('GET', pathname + search)).body).toMatchObject({ count: 3, next: null, results: [{ key: 'c' }] })
})

// API: "Timestamps are ISO 8601 date-time strings."
test('writes times in ISO 8601', async () => {
  const { body } = await send('GET', '/api/projects/@current/')
  expect(new Date(body.created_at).toISOString()).toBe(body.created_at)
})

// API: "HTTP header `Authorization: Bearer <PERSONAL_API_KEY>`. The key must hold the scope shown for the endpoint (query:read, …)."
// API: "Error bodies, and status codes for unauthorized, missing-scope and missing-resource cases …: not shown." Ours are below.
test('authenticates with a personal API key that holds the scope', async () => {
  const query = { body: { query: 'select 1' } }
  const path = '/api/environments/1/query/'
  expect((await send('POST', path, { ...query, key: await createKey('query:read') })).body.results).toEqual([[1]])
  for (const [key, status, code] of [
    ['', 401, 'not_authenticated'],
    ['wmx_unknown', 401, 'invalid_personal_api_key'],
    [service.apiKey, 401, 'invalid_personal_api_key'],
    [await createKey('project:read'), 403, 'permission_denied'],
  ] as const)
    expect(await send('POST', path, { ...query, key })).toMatchObject({
      status,
      body: { type: 'authentication_error', code, detail: expect.any(String) },
    })
  expect(await send('POST', '/api/environments/99/query/', query)).toMatchObject({
    status: 404,
    body: { type: 'invalid_request', code: 'not_found', attr: null },
  })
})

// API: | GET | /api/environments/:project_id/explicit_members/ | none | 200, … |
// API: | POST | /api/environments/:project_id/explicit_members/ | body: level, user_uuid (string) | 201, explicit member |
// API: | GET | .../explicit_members/:parent_membership__user__uuid/ | … | 200, explicit member |
// API: | PATCH | .../explicit_members/:parent_membership__user__uuid/ | body: level, user_uuid | 200, explicit member |
// API: | DELETE | .../explicit_members/:parent_membership__user__uuid/ | none | 204, no body |
test('adds, reads, changes and removes an explicit member', async () => {
  const uuid = await createUser('member@shop.example')
  const list = '/api/environments/1/explicit_members/'
  const created = await send('POST', list, { body: { user_uuid: uuid, level: 1 } })
  expect(created.status).toBe(201)
  expect(created.body).toEqual({
    // API: | id | string (UUID) | no |
    id: UUID,
    // API: | level | integer-valued level | yes |
    level: 1,
    // API: | parent_level | integer | no |
    parent_level: 1,
    // API: | parent_membership_id | string (UUID) | no |
    parent_membership_id: UUID,
    // API: | joined_at | date-time | no |
    joined_at: TIME,
    // API: | updated_at | date-time | no |
    updated_at: TIME,
    // API: | user | User object | no |
    user: {
      // API: | id | integer |
      id: expect.any(Number),
      // API: | uuid | string (UUID) |
      uuid,
      // API: | distinct_id | string |
      distinct_id: expect.any(String),
      // API: | first_name | string |
      first_name: '',
      // API: | last_name | string |
      last_name: '',
      // API: | email | string (e-mail address) |
      email: 'member@shop.example',
      // API: | is_email_verified | boolean |
      is_email_verified: false,
      // API: | hedgehog_config | object with arbitrary string keys and arbitrary values |
      hedgehog_config: {},
      // API: | role_at_organization | string |
      role_at_organization: '',
    },
    // API: | user_uuid | string (UUID of the user) | yes |
    user_uuid: uuid,
    // API: | effective_level | integer | no |
    effective_level: 1,
    version: 1,
  })
  expect(await send('GET', list)).toEqual({ status: 200, body: [created.body] })
  expect(await send('GET', `${list}${uuid}/`)).toEqual({ status: 200, body: created.body })
  const changed = await send('PATCH', `${list}${uuid}/`, { body: { level: 8, user_uuid: uuid } })
  expect(changed).toMatchObject({ status: 200, body: { level: 8, effective_level: 8 } })
  expect(await send('DELETE', `${list}${uuid}/`)).toEqual({ status: 204, body: undefined })
  expect((await send('GET', `${list}${uuid}/`)).status).toBe(404)
})

// API: "No scope is given for these endpoints.", "Scopes for explicit members …: not shown." Ours are those of the project.
test('members need the scopes of the project', async () => {
  const list = '/api/environments/1/explicit_members/'
  const { body: me } = await send('GET', '/api/users/@me/')
  const readKey = await createKey('project:read')
  const writeKey = await createKey('project:write')
  expect((await send('GET', list, { key: readKey })).status).toBe(200)
  expect(await send('GET', list, { key: writeKey })).toMatchObject({
    status: 403,
    body: { detail: expect.stringContaining('"project:read"') },
  })
  expect(await send('POST', list, { key: readKey, body: { user_uuid: me.uuid } })).toMatchObject({
    status: 403,
    body: { detail: expect.stringContaining('"project:write"') },
  })
})

// API: "How a personal API key is created, and the permission rules per member level: not shown." Commands and API agree.
test('commands change access in the running service', async () => {
  const uuid = await createUser('guest@shop.example')
  await service.runCommand('project', 'create', 'Secret', '--private')
  const created = await service.runCommand(
    'key',
    'create',
    'guest',
    '--user',
    'guest@shop.example',
    '--all-projects',
    '--scope',
    '*',
  )
  const key = /wmx_[\w-]+/.exec(created)![0]
  const { body } = await send('GET', '/api/projects/')
  const { project_id: id } = body.results.find(({ name }: { name: string }) => name === 'Secret')
  expect((await send('GET', `/api/projects/${id}/`, { key })).status).toBe(404)
  await service.runCommand('member', 'set', 'guest@shop.example', 'administrator', '--project', id)
  expect((await send('GET', `/api/projects/${id}/`, { key })).body).toMatchObject({ effective_membership_level: 8 })
  expect((await send('GET', '/api/users/@me/', { key })).body.uuid).toBe(uuid)
  await service.runCommand('user', 'create', 'second@shop.example')
  await service.runCommand('member', 'set', 'second@shop.example', 'administrator', '--project', id)
  await service.runCommand('user', 'remove', 'guest@shop.example')
  expect((await send('GET', '/api/users/@me/', { key })).status).toBe(401)
})
