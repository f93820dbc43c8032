import { expect, test } from 'vitest'
import { pauseFlags, setFlags } from '../../../../src/service/flags/definitions/change-flags.ts'
import { createAuthorizeFeed } from '../../../../src/service/flags/feed/authorize-feed.ts'
import { createWrongKeyCounter } from '../../../../src/service/auth/wrong-keys.ts'
import { createAuthenticate } from '../../../../src/service/auth/authenticate.ts'
import { createPersonalApiKey } from '../../../../src/service/store/metadata/keys.ts'
import { createProject } from '../../../../src/service/store/metadata/projects.ts'
import { openApp, OWNER_ID } from '../../support/app.ts'

const flag = (key: string) => ({ key, filters: { groups: [{}] } })

const openFeed = async () => {
  const bed = await openApp()
  await setFlags(bed.metadata, bed.project.id, { flags: [flag('a')], group_type_mapping: { 0: 'company' } }, 1)
  const get = (url: string, headers: Record<string, string> = {}) =>
    bed.app.inject({ method: 'GET', url, headers: { authorization: `Bearer ${bed.personalApiKey}`, ...headers } })
  const path = `/flags/definitions?token=${bed.project.apiKey}`
  return { ...bed, get, path }
}

test('serves the same definitions and entity tag under both paths', async () => {
  const { get, project } = await openFeed()
  const responses = []
  for (const path of [
    '/flags/definitions',
    '/flags/definitions/',
    '/api/feature_flag/local_evaluation',
    '/api/feature_flag/local_evaluation/',
  ])
    responses.push(await get(`${path}?token=${project.apiKey}&send_cohorts`))
  for (const response of responses) {
    expect([response.statusCode, response.headers['content-type']]).toEqual([200, 'application/json; charset=utf-8'])
    expect(response.headers['etag']).toMatch(/^"[\w-]{43}"$/)
    expect([response.body, response.headers['etag']]).toEqual([responses[0]!.body, responses[0]!.headers['etag']])
  }
  expect(responses[0]!.json()).toMatchObject({
    flags: [{ id: 1, key: 'a', active: true, version: 1, filters: { groups: [{}] } }],
    group_type_mapping: { 0: 'company' },
    cohorts: {},
  })
})

test('responds with 304 to clients that have the definitions until they change', async () => {
  const { get, path, metadata, project, flagSets } = await openFeed()
  const first = await get(path)
  const etag = String(first.headers['etag'])
  for (const ifNoneMatch of [etag, `W/${etag}`, `"x", ${etag}`, '*']) {
    const again = await get(path, { 'if-none-match': ifNoneMatch })
    expect([again.statusCode, again.body, again.headers['etag']]).toEqual([304, '', etag])
  }
  await setFlags(metadata, project.id, flag('b'), 2)
  await flagSets.reload(project.id)
  const changed = await get(path, { 'if-none-match': etag })
  expect(changed.statusCode).toBe(200)
  expect(changed.json().flags).toHaveLength(2)
  expect(changed.headers['etag']).not.toBe(etag)
})

test('accepts only a personal API key of the project with the scope for flags', async () => {
  const { get, path, metadata, project } = await openFeed()
  const other = await createProject(metadata, 'Other', 1)
  const keyOf = async (projectId: number, ...scopes: ('query:read' | 'feature_flag:read')[]): Promise<string> =>
    (await createPersonalApiKey(metadata, { userId: OWNER_ID, projectIds: [projectId], label: 'k', scopes, now: 1 }))
      .key
  const foreign = await keyOf(other.id, 'feature_flag:read')
  const powerless = await keyOf(project.id, 'query:read')
  for (const [authorization, url, status, code] of [
    ['', path, 401, 'not_authenticated'],
    ['Bearer wmx_unknown', path, 401, 'invalid_personal_api_key'],
    [`Bearer ${project.apiKey}`, path, 401, 'invalid_personal_api_key'],
    [`Bearer ${powerless}`, path, 403, 'permission_denied'],
    [`Bearer ${foreign}`, path, 404, 'not_found'],
    [`Bearer ${foreign}`, '/flags/definitions?token=wm_unknown', 404, 'not_found'],
    [`Bearer ${foreign}`, `/api/feature_flag/local_evaluation/?token=${project.apiKey}`, 404, 'not_found'],
    [`Bearer ${foreign}`, `/flags/stream?token=${project.apiKey}`, 404, 'not_found'],
    [`Bearer ${other.apiKey}`, path, 401, 'invalid_personal_api_key'],
    [`Bearer ${powerless}`, `/flags/stream?token=${project.apiKey}`, 403, 'permission_denied'],
  ] as const) {
    const response = await get(url, { authorization })
    expect([response.statusCode, response.json().code]).toEqual([status, code])
  }
  const withoutToken = await get('/flags/definitions', { authorization: `Bearer ${foreign}` })
  expect(withoutToken.json().flags).toEqual([])
})

test('rejects more than 600 requests per minute with 429 and Retry-After', async () => {
  const { get, path } = await openFeed()
  for (let request = 0; request < 600; request++) {
    const { statusCode } = await get(path, { 'if-none-match': '*' })
    if (statusCode !== 304) throw new Error(`request ${request}: ${statusCode}`)
  }
  const rejected = await get(path)
  expect([rejected.statusCode, rejected.json().type, rejected.headers['retry-after']]).toEqual([
    429,
    'throttled_error',
    '60',
  ])
})

test('limits new streams separately, to 2,000 per minute', async () => {
  const { metadata, flagSets, personalApiKey } = await openFeed()
  let now = 0
  const countWrongKey = createWrongKeyCounter(60)
  const authorize = createAuthorizeFeed({
    metadata,
    flagSets,
    countWrongKey,
    authenticate: createAuthenticate({ metadata, countWrongKey, now: () => now, onError: () => {} }),
    now: () => now,
  })
  const request = (kind: 'poll' | 'stream') =>
    authorize({ authorization: `Bearer ${personalApiKey}`, ip: '127.0.0.1', caller: null, token: undefined, kind })
  const error = expect.objectContaining({ status: 429, retryAfterSeconds: 60 })
  for (let count = 0; count < 600; count++) await request('poll')
  await expect(request('poll')).rejects.toEqual(error)
  for (let count = 0; count < 2000; count++) await request('stream')
  await expect(request('stream')).rejects.toEqual(error)
  now += 60_000
  await Promise.all([request('poll'), request('stream')])
})

test('uses the first value of a repeated parameter', async () => {
  const { app, get, path, project } = await openFeed()
  const { apiKey } = project
  for (const [query, status] of [
    [`token=${apiKey}&token=wm_other`, 200],
    [`token=wm_other&token=${apiKey}`, 404],
  ] as const) {
    expect((await get(`/flags/definitions?${query}`)).statusCode).toBe(status)
    if (status !== 200) expect((await get(`/flags/stream?${query}`)).statusCode).toBe(status)
  }
  const bodies = new Map<string, string>()
  for (const query of ['', '&send_cohorts', '&send_cohorts&send_cohorts=0', '&send_cohorts=0&send_cohorts'])
    bodies.set(query, String((await get(path + query)).headers['etag']))
  expect(bodies.get('&send_cohorts&send_cohorts=0')).toBe(bodies.get('&send_cohorts'))
  expect(bodies.get('&send_cohorts=0&send_cohorts')).toBe(bodies.get(''))
  const payload = JSON.stringify({ token: apiKey, distinct_id: 'u' })
  const response = await app.inject({ method: 'POST', url: '/flags?v=2&v=1', payload })
  expect(response.json()).toHaveProperty('flags')
})

test('responds with 402 while the quota is used up', async () => {
  const { get, path, metadata, project, flagSets } = await openFeed()
  await get(path)
  await pauseFlags(metadata, project.id, true)
  await flagSets.reload(project.id)
  for (const url of [path, path.replace('definitions', 'stream')]) {
    const paused = await get(url)
    expect([paused.statusCode, paused.json().type]).toEqual([402, 'quota_limited'])
  }
  await pauseFlags(metadata, project.id, false)
  await flagSets.reload(project.id)
  expect((await get(path)).statusCode).toBe(200)
})

test('allows pages of any origin to send the key and read the entity tag', async () => {
  const { app, get, path } = await openFeed()
  const preflight = await app.inject({
    method: 'OPTIONS',
    url: path,
    headers: {
      origin: 'https://shop.example',
      'access-control-request-method': 'GET',
      'access-control-request-headers': 'authorization,if-none-match',
    },
  })
  expect([preflight.statusCode, preflight.headers['access-control-allow-headers']]).toEqual([
    204,
    'authorization,if-none-match',
  ])
  const response = await get(path, { origin: 'https://shop.example' })
  expect(response.headers).toMatchObject({
    'access-control-allow-origin': '*',
    'access-control-expose-headers': expect.stringContaining('ETag'),
  })
})

test('accepts only GET', async () => {
  const { app } = await openFeed()
  for (const url of ['/flags/definitions', '/api/feature_flag/local_evaluation', '/flags/stream']) {
    const response = await app.inject({ method: 'POST', url })
    expect([response.statusCode, response.headers['allow']]).toEqual([405, 'GET'])
  }
})
