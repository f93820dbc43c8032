import { expect, test } from 'vitest'
import { pauseFlags, setFlags } from '../../../../src/service/flags/definitions/change-flags.ts'
import { createFeedAccess } from '../../../../src/service/flags/feed/feed-access.ts'
import { createPersonalApiKey } from '../../../../src/service/store/metadata/keys.ts'
import { createProject } from '../../../../src/service/store/metadata/projects.ts'
import { openApp } from '../../support/app.ts'

const flag = (key: string) => ({ key, filters: { groups: [{}] } })

const openFeed = async () => {
  const bed = await openApp()
  await setFlags(bed.metadata, bed.project.id, { flags: [flag('a')], group_type_mapping: { 0: 'company' } }, 1)
  const get = (url: string, headers: Record<string, string> = {}) =>
    bed.app.inject({ method: 'GET', url, headers: { authorization: `Bearer ${bed.key}`, ...headers } })
  const path = `/flags/definitions?token=${bed.project.apiKey}`
  return { ...bed, get, path }
}

test('serves the same definitions under both paths, with an entity tag, and without a slash or with one', async () => {
  const { get, project } = await openFeed()
  const answers = []
  for (const path of [
    '/flags/definitions',
    '/flags/definitions/',
    '/api/feature_flag/local_evaluation',
    '/api/feature_flag/local_evaluation/',
  ])
    answers.push(await get(`${path}?token=${project.apiKey}&send_cohorts`))
  for (const answer of answers) {
    expect([answer.statusCode, answer.headers['content-type']]).toEqual([200, 'application/json; charset=utf-8'])
    expect(answer.headers['etag']).toMatch(/^"[\w-]{43}"$/)
    expect([answer.body, answer.headers['etag']]).toEqual([answers[0]!.body, answers[0]!.headers['etag']])
  }
  expect(answers[0]!.json()).toMatchObject({
    flags: [{ id: 1, key: 'a', active: true, version: 1, filters: { groups: [{}] } }],
    group_type_mapping: { 0: 'company' },
    cohorts: {},
  })
})

test('answers 304 to who holds the definitions, until they change', async () => {
  const { get, path, metadata, project, flagSets } = await openFeed()
  const first = await get(path)
  const etag = String(first.headers['etag'])
  for (const held of [etag, `W/${etag}`, `"x", ${etag}`, '*']) {
    const again = await get(path, { 'if-none-match': held })
    expect([again.statusCode, again.body, again.headers['etag']]).toEqual([304, '', etag])
  }
  await setFlags(metadata, project.id, flag('b'), 2)
  await flagSets.changed(project.id)
  const changed = await get(path, { 'if-none-match': etag })
  expect(changed.statusCode).toBe(200)
  expect(changed.json().flags).toHaveLength(2)
  expect(changed.headers['etag']).not.toBe(etag)
})

test('takes a personal key with the scope and of the project of the token, and nothing else', async () => {
  const { get, path, metadata, project } = await openFeed()
  const other = await createProject(metadata, 'Other', 1)
  const keyOf = async (projectId: number, ...scopes: ('query:read' | 'feature_flag:read')[]): Promise<string> =>
    (await createPersonalApiKey(metadata, { projectId, label: 'k', scopes, now: 1 })).key
  const foreign = await keyOf(other.id, 'feature_flag:read')
  const powerless = await keyOf(project.id, 'query:read')
  for (const [authorization, url, status, code] of [
    ['', path, 401, 'not_authenticated'],
    ['Bearer wmx_unknown', path, 401, 'invalid_personal_api_key'],
    [`Bearer ${project.apiKey}`, path, 401, 'invalid_personal_api_key'],
    [`Bearer ${powerless}`, path, 403, 'permission_denied'],
    [`Bearer ${foreign}`, path, 403, 'permission_denied'],
    [`Bearer ${foreign}`, '/flags/definitions?token=wm_unknown', 403, 'permission_denied'],
    [`Bearer ${powerless}`, `/flags/stream?token=${project.apiKey}`, 403, 'permission_denied'],
  ] as const) {
    const answer = await get(url, { authorization })
    expect([answer.statusCode, answer.json().code]).toEqual([status, code])
  }
  const untold = await get('/flags/definitions', { authorization: `Bearer ${foreign}` })
  expect(untold.json().flags).toEqual([])
})

test('answers 429 above 600 requests in a minute and project, and tells when to come again', async () => {
  const { get, path } = await openFeed()
  for (let request = 0; request < 600; request++) {
    const { statusCode } = await get(path, { 'if-none-match': '*' })
    if (statusCode !== 304) throw new Error(`request ${request}: ${statusCode}`)
  }
  const refused = await get(path)
  expect([refused.statusCode, refused.json().type, refused.headers['retry-after']]).toEqual([
    429,
    'throttled_error',
    '60',
  ])
})

test('counts streams apart from requests for the definitions: 2,000 are opened in a minute', async () => {
  const { metadata, flagSets, key } = await openFeed()
  let now = 0
  const access = createFeedAccess({ metadata, flagSets, now: () => now })
  const ask = (kind: 'poll' | 'stream') => access({ authorization: `Bearer ${key}`, token: undefined, kind })
  const refusal = expect.objectContaining({ status: 429, retryAfterSeconds: 60 })
  for (let request = 0; request < 600; request++) await ask('poll')
  await expect(ask('poll')).rejects.toEqual(refusal)
  for (let request = 0; request < 2000; request++) await ask('stream')
  await expect(ask('stream')).rejects.toEqual(refusal)
  now += 60_000
  await Promise.all([ask('poll'), ask('stream')])
})

test('counts the first value of a parameter that is repeated', async () => {
  const { app, get, path, project } = await openFeed()
  const { apiKey } = project
  for (const [query, status] of [
    [`token=${apiKey}&token=wm_other`, 200],
    [`token=wm_other&token=${apiKey}`, 403],
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
  const answer = await app.inject({ method: 'POST', url: '/flags?v=2&v=1', payload })
  expect(answer.json()).toHaveProperty('flags')
})

test('answers 402 while the quota is used up', async () => {
  const { get, path, metadata, project, flagSets } = await openFeed()
  await get(path)
  await pauseFlags(metadata, project.id, true)
  await flagSets.changed(project.id)
  for (const url of [path, path.replace('definitions', 'stream')]) {
    const paused = await get(url)
    expect([paused.statusCode, paused.json().type]).toEqual([402, 'quota_limited'])
  }
  await pauseFlags(metadata, project.id, false)
  await flagSets.changed(project.id)
  expect((await get(path)).statusCode).toBe(200)
})

test('lets pages of any origin send the key and the tag, and read the tag', async () => {
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
  const answer = await get(path, { origin: 'https://shop.example' })
  expect(answer.headers).toMatchObject({
    'access-control-allow-origin': '*',
    'access-control-expose-headers': expect.stringContaining('ETag'),
  })
})

test('takes GET alone', async () => {
  const { app } = await openFeed()
  for (const url of ['/flags/definitions', '/api/feature_flag/local_evaluation', '/flags/stream']) {
    const answer = await app.inject({ method: 'POST', url })
    expect([answer.statusCode, answer.headers['allow']]).toEqual([405, 'GET'])
  }
})
