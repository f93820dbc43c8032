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

const fieldNames = (names: string): string[] => names.split(' ').sort()

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

// API: the table "User (embedded object)" and the table "Explicit member", and their five endpoints.
test('adds, reads, changes and removes an explicit member', async () => {
  const uuid = await createUser('member@shop.example')
  const list = '/api/environments/1/explicit_members/'
  const created = await send('POST', list, { body: { user_uuid: uuid, level: 1 } })
  expect(created).toMatchObject({
    status: 201,
    body: {
      level: 1,
      parent_level: 1,
      effective_level: 1,
      user_uuid: uuid,
      user: { uuid, email: 'member@shop.example' },
    },
  })
  expect(Object.keys(created.body).sort()).toEqual(
    fieldNames(
      'id level parent_level parent_membership_id joined_at updated_at user user_uuid effective_level version',
    ),
  )
  expect(Object.keys(created.body.user).sort()).toEqual(
    fieldNames('id uuid distinct_id first_name last_name email is_email_verified hedgehog_config role_at_organization'),
  )
  expect(await send('GET', list)).toEqual({ status: 200, body: [created.body] })
  expect(await send('GET', `${list}${uuid}/`)).toEqual({ status: 200, body: created.body })
  const changed = await send('PATCH', `${list}${uuid}/`, { body: { level: 8, user_uuid: uuid } })
  expect(changed).toMatchObject({ status: 200, body: { level: 8, effective_level: 8 } })
  expect(await send('DELETE', `${list}${uuid}/`)).toEqual({ status: 204, body: undefined })
  expect((await send('GET', `${list}${uuid}/`)).status).toBe(404)
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
