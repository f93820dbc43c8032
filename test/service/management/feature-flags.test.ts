import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { ALL_SCOPES } from '../../../src/service/permission/scopes.ts'
import { createPersonalApiKey } from '../../../src/service/store/metadata/keys.ts'
import { saveFlags } from '../../../src/service/store/metadata/flags.ts'
import { createProject } from '../../../src/service/store/metadata/projects.ts'
import type { PropertyFilter } from '../../../src/wire/definition.ts'
import { OWNER_ID } from '../support/app.ts'
import { openManagement } from '../support/management.ts'

const flag = (key: string, extraFields: object = {}) => ({ key, filters: { groups: [{}] }, ...extraFields })
const flagCondition = (key: string, value: unknown = true) => ({
  key,
  type: 'flag',
  operator: 'flag_evaluates_to',
  value,
})
const cohortCondition = (id: number) => ({ key: 'id', type: 'cohort', operator: 'in', value: id })
const flagWithConditions = (key: string, ...properties: object[]) => ({ key, filters: { groups: [{ properties }] } })
const VARIANTS = {
  variants: [
    { key: 'red', rollout_percentage: 50 },
    { key: 'blue', rollout_percentage: 50 },
  ],
}

test('creates a flag with known and unknown fields and serves it at once', async () => {
  const { request, decide } = await openManagement()
  expect(await decide('u')).toEqual({})
  const created = await request(
    'POST',
    'feature_flags/',
    flag('checkout', { name: 'New checkout', tags: ['a'], id: 99 }),
  )
  expect(created).toMatchObject({ status: 201 })
  expect(created.body).toEqual({
    id: 1,
    key: 'checkout',
    name: 'New checkout',
    tags: ['a'],
    active: true,
    filters: { groups: [{}] },
    version: 1,
    created_at: '2027-01-15T08:00:00.000Z',
    updated_at: '2027-01-15T08:00:00.000Z',
  })
  expect(await decide('u')).toEqual({ checkout: true })
  for (const path of ['feature_flags/1/', 'feature_flags/1', 'feature_flags/checkout/'])
    expect(await request('GET', path, undefined, 'projects')).toMatchObject({ status: 200, body: created.body })
})

test('replaces each field of a PATCH as a whole and serves the change at once', async () => {
  let now = 1_800_000_000_000
  const { request, decide } = await openManagement({ now: () => now })
  await request('POST', 'feature_flags/', flag('a', { name: 'A', filters: { groups: [{}], payloads: { true: '1' } } }))
  now += 1000
  const changed = await request('PATCH', 'feature_flags/a/', { filters: { groups: [{ rollout_percentage: 0 }] } })
  expect(changed).toMatchObject({
    status: 200,
    body: {
      id: 1,
      name: 'A',
      version: 2,
      created_at: '2027-01-15T08:00:00.000Z',
      updated_at: '2027-01-15T08:00:01.000Z',
    },
  })
  expect(changed.body.filters).toEqual({ groups: [{ rollout_percentage: 0 }] })
  expect(await decide('u')).toEqual({ a: false })
  // A body equal to the stored definition is not a change.
  now += 1000
  expect((await request('PATCH', 'feature_flags/1/', changed.body)).body).toEqual(changed.body)
  expect((await request('POST', 'feature_flags/', flag('b'))).body.id).toBe(2)
})

test('changes a flag whose stored bucketing_identifier is unknown, unless the change sets another unknown one', async () => {
  const { request, metadata, project } = await openManagement()
  const filters = { groups: [{}], bucketing_identifier: 'session_id' }
  await saveFlags(metadata, project.id, [{ key: 'old', active: true, filters }], 0)
  for (const body of [{ active: false }, { name: 'Old', filters }, { filters: { ...filters, groups: [] } }])
    expect(await request('PATCH', 'feature_flags/old/', body)).toMatchObject({ status: 200, body })
  expect(
    await request('PATCH', 'feature_flags/old/', { filters: { ...filters, bucketing_identifier: 'other' } }),
  ).toMatchObject({ status: 400, body: { attr: 'filters.bucketing_identifier' } })
})

test('refuses a filter with negation in a flag, and keeps a stored one as it is', async () => {
  const { request, metadata, project } = await openManagement()
  const negated = { key: 'plan', type: 'person', operator: 'exact', value: 'pro', negation: true }
  const filtersWith = (...properties: PropertyFilter[]) => ({ groups: [{}, { properties }] })
  const refusal = { status: 400, body: { attr: 'filters.groups[1].properties[0].negation' } }
  expect(await request('POST', 'feature_flags/', { key: 'new', filters: filtersWith(negated) })).toMatchObject(refusal)
  const other = { key: 'other', filters: filtersWith({ ...negated, negation: false }) }
  expect((await request('POST', 'feature_flags/', other)).status).toBe(201)
  expect(await request('PATCH', 'feature_flags/other/', { filters: filtersWith(negated) })).toMatchObject(refusal)
  await saveFlags(metadata, project.id, [{ key: 'old', active: true, filters: filtersWith(negated) }], 0)
  const { body: stored } = await request('GET', 'feature_flags/old/')
  for (const body of [stored, { active: false }, { filters: filtersWith(negated, { key: 'a', value: 1 }) }])
    expect((await request('PATCH', 'feature_flags/old/', body)).status).toBe(200)
  const changed = filtersWith({ ...negated, value: 'free' })
  expect(await request('PATCH', 'feature_flags/old/', { filters: changed })).toMatchObject(refusal)
})

test('refuses variants that do not add up to 100, and keeps stored ones as they are', async () => {
  const { request, metadata, project } = await openManagement()
  const filtersWith = (...shares: number[]) => ({
    groups: [{}],
    multivariate: { variants: shares.map((share, index) => ({ key: `v${index}`, rollout_percentage: share })) },
  })
  const refusal = { status: 400, body: { attr: 'filters.multivariate.variants' } }
  for (const shares of [[50, 40], [0], [99.9], [60, 60]])
    expect(await request('POST', 'feature_flags/', { key: 'a', filters: filtersWith(...shares) })).toMatchObject(
      refusal,
    )
  const rounded = await request('POST', 'feature_flags/', { key: 'a', filters: filtersWith(33.3, 33.3, 33.3) })
  expect(rounded.body.detail).toContain('add up to 99.9; they must add up to 100')
  for (const [index, shares] of [[], [100], [33.3, 33.3, 33.4]].entries())
    expect(
      (await request('POST', 'feature_flags/', { key: `whole-${index}`, filters: filtersWith(...shares) })).status,
    ).toBe(201)
  expect(await request('PATCH', 'feature_flags/whole-1/', { filters: filtersWith(50) })).toMatchObject(refusal)
  await saveFlags(metadata, project.id, [{ key: 'old', active: true, filters: filtersWith(50, 40) }], 0)
  const { body: stored } = await request('GET', 'feature_flags/old/')
  for (const body of [stored, { name: 'Old' }, { active: false }, { filters: { ...filtersWith(50, 40), groups: [] } }])
    expect((await request('PATCH', 'feature_flags/old/', body)).status).toBe(200)
  expect(await request('PATCH', 'feature_flags/old/', { filters: filtersWith(50, 30) })).toMatchObject(refusal)
  expect((await request('PATCH', 'feature_flags/old/', { filters: filtersWith(50, 50) })).status).toBe(200)
})

test('merges the fields of any PATCH into the definition', async () => {
  const { request } = await openManagement()
  const fields = fc.record(
    {
      name: fc.string(),
      active: fc.boolean(),
      filters: fc.record({ groups: fc.array(fc.record({ rollout_percentage: fc.integer({ min: 0, max: 100 }) })) }),
      notes: fc.jsonValue({ maxDepth: 3 }),
      evaluation_runtime: fc.constantFrom('all', 'client', 'server'),
    },
    { requiredKeys: [] },
  )
  let expected: object = (await request('POST', 'feature_flags/', flag('a'))).body
  await fc.assert(
    fc.asyncProperty(fields, async (patch) => {
      const body = JSON.parse(JSON.stringify(patch))
      const { warnings: _, ...changed } = (await request('PATCH', 'feature_flags/a/', body)).body
      expected = { ...expected, ...body, version: changed.version }
      expect(changed).toEqual(expected)
      expect((await request('GET', 'feature_flags/a/')).body).toEqual(expected)
    }),
    { numRuns: 50 },
  )
})

test('reads null as a field that is missing', async () => {
  const { request } = await openManagement()
  const created = await request('POST', 'feature_flags/', {
    key: 'beta',
    filters: { groups: [] },
    name: null,
    deleted: null,
  })
  expect(created).toMatchObject({ status: 201 })
  for (const field of ['name', 'deleted']) expect(created.body).not.toHaveProperty(field)
  await request('PATCH', 'feature_flags/beta/', { name: 'Beta', deleted: true })
  const { body } = await request('PATCH', 'feature_flags/beta/', { name: null, deleted: null })
  for (const field of ['name', 'deleted']) expect(body).not.toHaveProperty(field)
  expect((await request('GET', 'feature_flags/')).body.count).toBe(1)
})

test('rejects a change based on an old version and returns the current version', async () => {
  const { request } = await openManagement()
  await request('POST', 'feature_flags/', flag('a'))
  expect((await request('PATCH', 'feature_flags/a/', { version: 1, name: 'one' })).body).toMatchObject({ version: 2 })
  const late = await request('PATCH', 'feature_flags/a/', { version: 1, name: 'two' })
  expect(late).toMatchObject({ status: 409, body: { code: 'version_conflict', attr: 'version' } })
  expect(late.body.detail).toContain('version is 2')
  expect((await request('PATCH', 'feature_flags/a/', { version: '2' })).body.code).toBe('invalid_version')
  expect((await request('GET', 'feature_flags/a/')).body).toMatchObject({ name: 'one', version: 2 })
})

test('applies concurrent changes in sequence or rejects those with an old version', async () => {
  const { request } = await openManagement()
  await request('POST', 'feature_flags/', flag('a'))
  const names = Array.from({ length: 10 }, (_, index) => `field_${index}`)
  const changes = await Promise.all(names.map((name) => request('PATCH', 'feature_flags/a/', { [name]: name })))
  expect(changes.map(({ status }) => status)).toEqual(names.map(() => 200))
  expect(changes.map(({ body }) => body.version).sort((a, b) => a - b)).toEqual(names.map((_, i) => i + 2))
  const { body } = await request('GET', 'feature_flags/a/')
  expect(names.map((name) => body[name])).toEqual(names)

  const { version } = body
  const competingChanges = await Promise.all(
    names.map((name) => request('PATCH', 'feature_flags/a/', { version, name })),
  )
  expect(competingChanges.filter(({ status }) => status === 200)).toHaveLength(1)
  expect(competingChanges.filter(({ status }) => status === 409)).toHaveLength(names.length - 1)
  expect((await request('GET', 'feature_flags/a/')).body.version).toBe(version + 1)
})

test('lists flags in pages that link to each other', async () => {
  const { request, app, project, personalApiKey } = await openManagement()
  for (const name of ['a', 'b', 'c', 'd', 'e']) await request('POST', 'feature_flags/', flag(name))
  const keysOf = (body: { results: { key: string }[] }) => body.results.map(({ key }) => key)
  const whole = await request('GET', 'feature_flags/')
  expect(whole.body).toMatchObject({ count: 5, next: null, previous: null })
  expect(keysOf(whole.body)).toEqual(['a', 'b', 'c', 'd', 'e'])

  const seen: string[] = []
  let url: string | null = `http://flags.example:8080/api/projects/${project.id}/feature_flags/?limit=2&other=x`
  const previousLinks: (string | null)[] = []
  while (url !== null) {
    const { pathname, search, host } = new URL(url)
    const headers = { authorization: `Bearer ${personalApiKey}`, host }
    const { body } = await app.inject({ method: 'GET', url: pathname + search, headers })
    const page = JSON.parse(body)
    expect(page.count).toBe(5)
    seen.push(...keysOf(page))
    previousLinks.push(page.previous)
    url = page.next
    if (url !== null) expect(url).toContain(`http://flags.example:8080/api/projects/${project.id}/feature_flags/?`)
  }
  expect(seen).toEqual(['a', 'b', 'c', 'd', 'e'])
  expect(previousLinks.map((link) => link && new URL(link).searchParams.get('offset'))).toEqual([null, '0', '2'])
  expect((await request('GET', 'feature_flags/?offset=9')).body).toMatchObject({ count: 5, next: null, results: [] })
  expect((await request('GET', 'feature_flags/?limit=5000')).body.count).toBe(5)
  expect((await request('GET', 'feature_flags/?limit=1&limit=2')).body.results).toHaveLength(1)
  for (const [query, attr] of [
    ['limit=0', 'limit'],
    ['limit=-1', 'limit'],
    ['limit=x', 'limit'],
    ['offset=1.5', 'offset'],
    ['limit=x&limit=2', 'limit'],
  ])
    expect(await request('GET', `feature_flags/?${query}`)).toMatchObject({ status: 400, body: { attr } })
})

test('hides a flag marked as deleted until it is restored', async () => {
  const { request, decide } = await openManagement()
  await request('POST', 'feature_flags/', flag('a'))
  expect(await request('PATCH', 'feature_flags/a/', { deleted: true })).toMatchObject({
    status: 200,
    body: { version: 2 },
  })
  expect((await request('GET', 'feature_flags/')).body).toMatchObject({ count: 0, results: [] })
  expect((await request('GET', 'feature_flags/1/')).body).toMatchObject({ key: 'a', deleted: true })
  expect(await decide('u')).toEqual({})
  const second = await request('POST', 'feature_flags/', flag('a'))
  expect(second).toMatchObject({ status: 400, body: { code: 'unique', attr: 'key' } })
  expect(second.body.detail).toContain('"deleted": false')
  await request('PATCH', 'feature_flags/1/', { deleted: false })
  expect(await decide('u')).toEqual({ a: true })
})

test('deletes a flag permanently and returns 404 for missing flags', async () => {
  const { request, decide } = await openManagement()
  await request('POST', 'feature_flags/', flag('a'))
  expect(await request('DELETE', 'feature_flags/a/')).toMatchObject({ status: 204, body: undefined })
  expect(await decide('u')).toEqual({})
  for (const method of ['GET', 'PATCH', 'DELETE'] as const)
    for (const id of ['1', 'a', '99999999999999999999', '%00', 'x'.repeat(400)]) {
      const response = await request(method, `feature_flags/${id}/`, method === 'PATCH' ? {} : undefined)
      expect(response).toMatchObject({ status: 404, body: { type: 'invalid_request', code: 'not_found', attr: null } })
    }
})

test('finds a flag by a long key; reads a number in the path as an id', async () => {
  const { request } = await openManagement()
  // The longest key, in characters of three bytes.
  const key = '€'.repeat(400)
  expect((await request('POST', 'feature_flags/', flag(key))).status).toBe(201)
  expect((await request('GET', `feature_flags/${encodeURIComponent(key)}/`)).body).toMatchObject({ id: 1, key })
  const numbered = await request('POST', 'feature_flags/', flag('1'))
  expect((await request('GET', 'feature_flags/1/')).body.key).toBe(key)
  expect((await request('PATCH', `feature_flags/${numbered.body.id}/`, { name: 'x' })).body).toMatchObject({ key: '1' })
})

test('changes the key of a flag to an unused key', async () => {
  const { request, decide } = await openManagement()
  await request('POST', 'feature_flags/', flag('a'))
  await request('POST', 'feature_flags/', flag('b'))
  expect(await request('PATCH', 'feature_flags/a/', { key: 'b' })).toMatchObject({ status: 400, body: { attr: 'key' } })
  expect((await request('PATCH', 'feature_flags/a/', { key: 'c' })).body).toMatchObject({ id: 1, key: 'c', version: 2 })
  expect(await decide('u')).toEqual({ b: true, c: true })
})

test.each<[object, string | null, string]>([
  [{ key: 'f' }, 'filters', 'must be an object'],
  [flag(''), 'key', 'must be a string'],
  [flag('a\nb'), 'key', 'control characters'],
  [flag('f', { active: 'yes' }), 'active', 'true or false'],
  [flag('f', { deleted: 1 }), 'deleted', 'true or false'],
  [flag('f', { evaluation_runtime: 'edge' }), 'evaluation_runtime', 'all, client, server'],
  [flag('f', { bucketing_identifier: 'cookie' }), 'bucketing_identifier', 'distinct_id, device_id'],
  [flag('f', { evaluation_contexts: ['a', 1] }), 'evaluation_contexts', 'an array of non-empty strings'],
  [flag('f', { has_experiment: true }), 'filters.multivariate.variants', 'two or more'],
  [
    flag('f', { filters: { groups: [{ rollout_percentage: 101 }] } }),
    'filters.groups[0].rollout_percentage',
    'from 0 to 100',
  ],
  [
    flag('f', { filters: { groups: [], holdout: { id: true, exclusion_percentage: 1 } } }),
    'filters.holdout.id',
    'must be an integer',
  ],
  [
    flag('f', { filters: { groups: [], holdout: { id: 1, exclusion_percentage: 200 } } }),
    'filters.holdout.exclusion_percentage',
    'from 0 to 100',
  ],
  [flag('f', { filters: { groups: [], early_exit: 1 } }), 'filters.early_exit', 'true or false'],
  [
    flagWithConditions('f', { key: 'x', type: 'moon', value: 1 }),
    'filters.groups[0].properties[0].type',
    'person, group, cohort',
  ],
  [
    flagWithConditions('f', { key: 'x', value: 1, operator: 'nearly' }),
    'filters.groups[0].properties[0]',
    'the operator "nearly" is not supported',
  ],
  [
    flagWithConditions('f', { ...cohortCondition(7), value: 'x' }),
    'filters.groups[0].properties[0].value',
    'the id of a cohort',
  ],
  [
    flagWithConditions('f', { ...cohortCondition(7), operator: 'gt' }),
    'filters.groups[0].properties[0].operator',
    '"in" or "not_in"',
  ],
  [flagWithConditions('f', flagCondition('g', 3)), 'filters.groups[0].properties[0].value', 'the key of a variant'],
  [flag('f', { notes: 'x'.repeat(1_100_000) }), null, 'at most 1048576 bytes'],
])('rejects an invalid definition with 400 and the path of the field (%#)', async (body, attr, expectedDetail) => {
  const { request, errors } = await openManagement()
  const response = await request('POST', 'feature_flags/', body)
  expect(response).toMatchObject({ status: 400, body: { type: 'validation_error', code: 'invalid_definition', attr } })
  expect(response.body.detail).toContain(expectedDetail)
  expect((await request('GET', 'feature_flags/')).body.count).toBe(0)
  expect(errors).toEqual([])
})

test('rejects a body that is not an object or is nested too deeply', async () => {
  const { request, app, project, personalApiKey } = await openManagement()
  for (const body of [[], 5, null])
    expect(await request('POST', 'feature_flags/', body)).toMatchObject({
      status: 400,
      body: { code: 'invalid_shape' },
    })
  const depth = 100_000
  const payload = `{"key":"f","filters":{"groups":[]},"notes":${'['.repeat(depth)}${']'.repeat(depth)}}`
  const url = `/api/projects/${project.id}/feature_flags/`
  const response = await app.inject({
    method: 'POST',
    url,
    payload,
    headers: { authorization: `Bearer ${personalApiKey}` },
  })
  expect([response.statusCode, response.json().code]).toEqual([400, 'invalid_definition'])
})

test('accepts an experiment only with two or more variants', async () => {
  const { request } = await openManagement()
  const experiment = flag('button', { has_experiment: true, filters: { groups: [{}], multivariate: VARIANTS } })
  expect(await request('POST', 'feature_flags/', experiment)).toMatchObject({
    status: 201,
    body: { has_experiment: true },
  })
  const response = await request('PATCH', 'feature_flags/button/', { filters: { groups: [{}] } })
  expect(response).toMatchObject({ status: 400, body: { attr: 'filters.multivariate.variants' } })
})

test('limits the size of one flag and of all flags of a project', async () => {
  const { request } = await openManagement()
  const conditions = Array.from({ length: 5001 }, () => ({ properties: [{ key: 'a', value: 1 }] }))
  const withManyConditions = await request('POST', 'feature_flags/', flag('many', { filters: { groups: conditions } }))
  expect(withManyConditions).toMatchObject({ status: 400, body: { attr: 'filters.groups' } })
  expect(withManyConditions.body.detail).toContain('10002 conditions and filters; the maximum is 10000')
  const notes = 'x'.repeat(1_040_000)
  for (let n = 0; n < 8; n++)
    expect((await request('POST', 'feature_flags/', flag(`f${n}`, { notes }))).status).toBe(201)
  const aboveLimit = await request('POST', 'feature_flags/', flag('more', { notes }))
  expect(aboveLimit).toMatchObject({ status: 400, body: { code: 'invalid_definition', attr: null } })
  expect(aboveLimit.body.detail).toContain('the maximum is 8388608')
  expect((await request('PATCH', 'feature_flags/f0/', { active: false })).status).toBe(200)
})

test('rejects other methods with 405 and lists the allowed ones', async () => {
  const { request } = await openManagement()
  for (const [method, path, allow] of [
    ['PUT', 'feature_flags/', 'GET, POST'],
    ['DELETE', 'feature_flags', 'GET, POST'],
    ['POST', 'feature_flags/1/', 'GET, PATCH, DELETE'],
    ['PUT', 'cohorts/1', 'GET, PATCH, DELETE'],
    ['PATCH', 'groups_types/', 'GET, POST'],
    ['PATCH', 'groups_types/0', 'GET, DELETE'],
  ] as const) {
    const response = await request(method, path)
    expect([response.status, response.body.code, response.headers['allow']]).toEqual([405, 'method_not_allowed', allow])
  }
})

test('requires a key of the project with the matching scope', async () => {
  const { app, metadata, project, personalApiKey } = await openManagement()
  const request = async (method: 'GET' | 'POST' | 'PATCH' | 'DELETE', path: string, id = project.id) => {
    const headers = { authorization: `Bearer ${personalApiKey}` }
    const response = await app.inject({ method, url: `/api/projects/${id}/${path}`, headers, payload: '{}' })
    return [response.statusCode, response.json().code]
  }
  for (const [resource, scope] of [
    ['feature_flags', 'feature_flag'],
    ['cohorts', 'cohort'],
    ['early_access_feature', 'early_access_feature'],
  ] as const) {
    await metadata
      .updateTable('personal_api_keys')
      .set({ scopes: `["${scope}:read"]` })
      .execute()
    expect((await request('GET', `${resource}/`))[0]).toBe(200)
    expect(await request('GET', `${resource}/`, project.id + 1)).toEqual([404, 'not_found'])
    for (const [method, path] of [
      ['POST', `${resource}/`],
      ['PATCH', `${resource}/1/`],
      ['DELETE', `${resource}/1/`],
    ] as const)
      expect(await request(method, path)).toEqual([403, 'permission_denied'])
    await metadata
      .updateTable('personal_api_keys')
      .set({ scopes: `["${scope}:write"]` })
      .execute()
    expect(await request('GET', `${resource}/`)).toEqual([403, 'permission_denied'])
    expect(await request('DELETE', `${resource}/77/`)).toEqual([404, 'not_found'])
  }
  const anonymous = await app.inject({ method: 'GET', url: `/api/projects/${project.id}/cohorts/` })
  expect([anonymous.statusCode, anonymous.json().code]).toEqual([401, 'not_authenticated'])
})

test('allows pages of any origin to change flags with a key', async () => {
  const { app } = await openManagement()
  for (const method of ['PATCH', 'DELETE']) {
    const response = await app.inject({
      method: 'OPTIONS',
      url: '/api/projects/1/feature_flags/1/',
      headers: {
        origin: 'https://admin.example',
        'access-control-request-method': method,
        'access-control-request-headers': 'authorization,content-type',
      },
    })
    expect(response.statusCode).toBe(204)
    expect(response.headers['access-control-allow-methods']).toContain(method)
    expect(response.headers['access-control-allow-headers']).toBe('authorization,content-type')
  }
})

test('does not return or change flags of another project', async () => {
  const { app, request, metadata } = await openManagement()
  await request('POST', 'feature_flags/', flag('a'))
  const other = await createProject(metadata, 'Other', 1000)
  const { key } = await createPersonalApiKey(metadata, {
    userId: OWNER_ID,
    projectIds: [other.id],
    label: 'other',
    scopes: [ALL_SCOPES],
    now: 1000,
  })
  const url = `/api/environments/${other.id}/feature_flags/`
  const headers = { authorization: `Bearer ${key}` }
  expect((await app.inject({ method: 'GET', url, headers })).json().count).toBe(0)
  expect((await app.inject({ method: 'GET', url: `${url}1/`, headers })).statusCode).toBe(404)
  expect((await app.inject({ method: 'DELETE', url: `${url}a/`, headers })).statusCode).toBe(404)
  const payload = JSON.stringify(flag('a'))
  expect((await app.inject({ method: 'POST', url, headers, payload })).statusCode).toBe(201)
})

test('lists the flags whose key or name contains a string, and those that are active or not', async () => {
  const { send, project } = await openManagement()
  const url = `/api/projects/${project.id}/feature_flags/`
  for (const [key, name, active, deleted] of [
    ['alpha', 'Checkout', true, false],
    ['beta', 'The ALPHA of all', false, false],
    ['gamma', '', true, false],
    ['alpha-old', '', true, true],
  ])
    await send('POST', url, { key, name, active, deleted, filters: { groups: [{}] } })
  const keysOf = async (query: string): Promise<unknown> => {
    const { body } = await send('GET', `${url}?${query}`)
    return [body.count, ...body.results.map(({ key }: { readonly key: string }) => key)]
  }
  expect(await keysOf('search=Alpha')).toEqual([2, 'alpha', 'beta'])
  expect(await keysOf('active=true')).toEqual([2, 'alpha', 'gamma'])
  expect(await keysOf('active=false&search=a')).toEqual([1, 'beta'])
  expect(await keysOf('active=true&limit=1&offset=1')).toEqual([2, 'gamma'])
  expect(await keysOf('search=')).toEqual([3, 'alpha', 'beta', 'gamma'])
  expect(await send('GET', `${url}?active=STALE`)).toMatchObject({ status: 400, body: { attr: 'active' } })
})
