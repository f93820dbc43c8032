import { expect, test } from 'vitest'
import type { Config } from '../../../src/service/config.ts'
import { withDefaults } from '../../../src/service/config.ts'
import { LEVELS } from '../../../src/service/permission/levels.ts'
import { openManagement } from '../support/management.ts'

/** What holds for all resources. A comment "API:" quotes the description of the API that the service implements. */

const LISTS = ['/api/users/', '/api/organizations/@current/members/']

/** Three users in one organisation, and a function that reads a page as a client behind a proxy does. */
const openList = async (settings: Partial<Config>, remoteAddress?: string) => {
  const management = await openManagement({ config: withDefaults(settings) })
  const { send, key } = await management.addUser('ann@shop.example', LEVELS.member)
  await management.addUser('bob@shop.example', LEVELS.member)
  const readBehindProxy = async (url: string) => {
    const headers = {
      authorization: `Bearer ${key}`,
      host: 'internal:8010',
      'x-forwarded-proto': 'https',
      'x-forwarded-host': 'api.shop.example',
      'x-forwarded-for': '192.0.2.7',
    }
    return (
      await management.app.inject({ method: 'GET', url, headers, ...(remoteAddress && { remoteAddress }) })
    ).json()
  }
  return { ...management, send, readBehindProxy }
}

// API: | next | string (URL of the next page) or null |, | previous | string (URL of the previous page) or null |
test.each([
  ['without settings, by the Host of a local client', {}, '127.0.0.1', 'http://internal:8010'],
  ['without settings, by no Host of others', {}, '192.0.2.1', 'http://localhost'],
  ['behind a trusted proxy, by no header of it', { trustProxy: 1 }, '192.0.2.1', 'http://localhost'],
  [
    'with a public URL',
    { publicUrl: 'https://api.shop.example/insight' },
    '192.0.2.1',
    'https://api.shop.example/insight',
  ],
] as const)('links pages by absolute URLs %s', async (_case, settings, remoteAddress, origin) => {
  const { readBehindProxy } = await openList(settings, remoteAddress)
  for (const path of LISTS) {
    const page = await readBehindProxy(`${path}?limit=1&offset=1&other=x`)
    expect(page).toMatchObject({
      count: 3,
      next: `${origin}${path}?limit=1&offset=2&other=x`,
      previous: `${origin}${path}?limit=1&offset=0&other=x`,
    })
    expect(page.results).toHaveLength(1)
  }
})

test('limits a page to 1,000 items, and rejects what is not a number', async () => {
  const { send, project } = await openManagement()
  const url = `/api/projects/${project.id}/feature_flags/`
  const { body } = await send('GET', `${url}?limit=5000&offset=1`)
  expect(new URL(body.previous).searchParams.get('limit')).toBe('1000')
  for (const [query, attr, detail] of [
    ['limit=0', 'limit', '"limit" must be 1 or more.'],
    ['limit=-1', 'limit', '"limit" must be 1 or more.'],
    ['limit=ten', 'limit', '"limit" must be an integer.'],
    ['offset=-1', 'offset', '"offset" must be 0 or more.'],
    ['offset=1e30', 'offset', '"offset" must be an integer.'],
    [`offset=${'9'.repeat(30)}`, 'offset', `"offset" must be ${Number.MAX_SAFE_INTEGER} or less.`],
  ])
    expect(await send('GET', `${url}?${query}`)).toMatchObject({
      status: 400,
      body: { type: 'validation_error', code: 'invalid_page', attr, detail },
    })
  expect(await send('GET', `${url}?limit=&offset=`)).toMatchObject({ status: 200 })
})

test('knows nothing by a number that is written in another way, or by no number', async () => {
  const { send, request, project } = await openManagement()
  const filters = { groups: [{}] }
  const created = {
    feature_flags: await request('POST', 'feature_flags/', { key: 'a', filters }),
    cohorts: await request('POST', 'cohorts/', { name: 'a', filters: { properties: { type: 'AND', values: [] } } }),
    insights: await request('POST', 'insights/', { name: 'a' }),
    dashboards: await request('POST', 'dashboards/', { name: 'a' }),
    exports: await request('POST', 'exports/', {
      export_format: 'text/csv',
      export_context: { source: { kind: 'HogQLQuery', query: 'select 1' } },
    }),
  }
  const other = (id: number): readonly string[] => [`0${id}`, `+${id}`, `%20${id}`, `${id}.0`, `${id}e0`, `-${id}`, 'x']
  for (const [path, { body }] of Object.entries(created)) {
    expect([path, (await request('GET', `${path}/${body.id}/`)).status]).toEqual([path, 200])
    for (const id of other(body.id))
      expect([path, id, (await request('GET', `${path}/${id}/`)).status]).toEqual([path, id, 404])
  }
  const { body: key } = await send('POST', '/api/personal_api_keys/', { label: 'a', scopes: ['query:read'] })
  for (const path of [`/api/projects/$/`, `/api/environments/$/insights/`])
    for (const id of other(project.id))
      expect([id, (await send('GET', path.replace('$', id))).status]).toEqual([id, 404])
  for (const id of other(key.id))
    expect([id, (await send('GET', `/api/personal_api_keys/${id}/`)).status]).toEqual([id, 404])
  const keyed = await request('POST', 'feature_flags/', { key: '01', filters })
  expect((await request('GET', 'feature_flags/01/')).body.id).toBe(keyed.body.id)
})

test('answers 400 to a path that is malformed', async () => {
  const { send } = await openManagement()
  for (const method of ['GET', 'PATCH'] as const)
    expect(await send(method, '/api/projects/%F0/', method === 'PATCH' ? {} : undefined)).toMatchObject({
      status: 400,
      body: { code: 'malformed_url' },
    })
})

test('accepts a body in each form, and names what is wrong with one', async () => {
  const { app, addUser } = await openManagement()
  const { send, key: personalApiKey } = await addUser('ann@shop.example', LEVELS.member)
  const url = '/api/users/@me/'
  const patch = async (payload: string, headers: Record<string, string> = {}) => {
    const authorization = `Bearer ${personalApiKey}`
    const response = await app.inject({ method: 'PATCH', url, payload, headers: { authorization, ...headers } })
    return [response.statusCode, response.json().code]
  }
  expect(await patch('{"first_name":"Ann"}', { 'content-type': 'text/plain' })).toEqual([200, undefined])
  expect(await patch('{"first_name":"Ann"}', { 'content-type': '' })).toEqual([200, undefined])
  expect(await patch('')).toEqual([400, 'empty_body'])
  expect(await patch('{')).toEqual([400, 'invalid_json'])
  expect(await patch('[]')).toEqual([400, 'invalid_shape'])
  expect(await patch('{}', { 'content-encoding': 'br' })).toEqual([415, 'unsupported_encoding'])
  expect((await send('GET', url)).body).toMatchObject({ first_name: 'Ann', version: 2 })
})

test('changes nothing with a PATCH of unknown fields, or of the values that are stored', async () => {
  const { addUser } = await openManagement()
  const { send } = await addUser('ann@shop.example', LEVELS.owner)
  for (const url of ['/api/users/@me/', '/api/projects/@current/', '/api/organizations/@current/']) {
    const { body: before } = await send('GET', url)
    expect(await send('PATCH', url, { unknown: { a: 1 }, id: 'x' })).toMatchObject({ status: 200, body: before })
    expect(await send('PATCH', url, { ...before, version: null })).toMatchObject({ status: 200, body: before })
    expect(await send('PATCH', url, { version: 'x' })).toMatchObject({
      status: 400,
      body: { code: 'invalid_version', attr: 'version' },
    })
  }
})

test('refuses parameters of a list that would filter and that it does not have, and ignores others', async () => {
  const { app, send, project } = await openManagement()
  const lists = app.managementRoutes.filter(
    ({ method, url, access }) =>
      method === 'GET' &&
      access.kind === 'personalKey' &&
      url.startsWith('/api/projects/:project_id/') &&
      !url.includes('/:', 26),
  )
  let refused = 0
  for (const { url } of lists) {
    const path = url.replace(':project_id', String(project.id))
    const plain = await send('GET', `${path}?limit=1`)
    if (plain.status !== 200 || !Array.isArray(plain.body.results)) continue
    expect(await send('GET', `${path}?evaluation_runtime=client`), path).toMatchObject({
      status: 400,
      body: { code: 'invalid_input', attr: 'evaluation_runtime' },
    })
    expect(await send('GET', `${path}?limt=1`), path).toMatchObject({ status: 400, body: { attr: 'limt' } })
    expect(await send('GET', `${path}?limit=1&format=json&_=1&evaluation_runtime=`), path).toMatchObject({
      status: 200,
    })
    refused++
  }
  expect(refused).toBeGreaterThan(5)
})
