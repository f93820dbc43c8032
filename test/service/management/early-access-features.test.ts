import { expect, test } from 'vitest'
import { openManagement } from '../support/management.ts'

type Management = Awaited<ReturnType<typeof openManagement>>
const listForPages = async ({ app, project }: Management, query = '') => {
  const response = await app.inject({
    method: 'GET',
    url: `/api/early_access_features/?token=${project.apiKey}${query}`,
  })
  return response.json().earlyAccessFeatures
}
const withEnrolment = (key: string, isEnrolled: boolean) => ({
  person_properties: { [`$feature_enrollment/${key}`]: isEnrolled },
})

test('creates a flag for a new feature that is on for enrolled persons', async () => {
  const management = await openManagement()
  const { request, decide } = management
  const created = await request('POST', 'early_access_feature/', {
    name: 'Dark mode!',
    stage: 'beta',
    payload: { n: 1 },
  })
  expect(created).toMatchObject({ status: 201 })
  const { id } = created.body
  expect(created.body).toEqual({
    id: expect.stringMatching(/^[0-9a-f-]{36}$/),
    name: 'Dark mode!',
    description: '',
    stage: 'beta',
    documentation_url: '',
    payload: { n: 1 },
    feature_flag_id: 1,
    version: 1,
    created_at: '2027-01-15T08:00:00.000Z',
  })
  expect((await request('GET', 'feature_flags/1/')).body).toMatchObject({
    key: 'dark-mode',
    name: 'Dark mode!',
    active: true,
    filters: { groups: [], feature_enrollment: true },
  })
  expect(await decide('u')).toEqual({ 'dark-mode': false })
  expect(await decide('u', withEnrolment('dark-mode', true))).toEqual({ 'dark-mode': true })
  expect((await request('GET', 'early_access_feature/')).body).toMatchObject({ count: 1, results: [created.body] })
  expect((await request('GET', `early_access_feature/${id}/`, undefined, 'projects')).body).toEqual(created.body)
  expect(await listForPages(management)).toEqual([
    {
      id,
      name: 'Dark mode!',
      description: '',
      stage: 'beta',
      documentationUrl: '',
      payload: { n: 1 },
      flagKey: 'dark-mode',
    },
  ])
})

test('uses an existing flag and protects it while the feature exists', async () => {
  const management = await openManagement()
  const { request, decide } = management
  await request('POST', 'feature_flags/', { key: 'search', filters: { groups: [{}], feature_enrollment: false } })
  const created = await request('POST', 'early_access_feature/', { name: 'Search', stage: 'alpha', feature_flag_id: 1 })
  const path = `early_access_feature/${created.body.id}/`
  expect(created).toMatchObject({ status: 201, body: { feature_flag_id: 1 } })
  expect(await decide('u', withEnrolment('search', false))).toEqual({ search: false })

  // New conditions without `feature_enrollment` do not end the enrolment.
  const changed = await request('PATCH', 'feature_flags/search/', { filters: { groups: [{ rollout_percentage: 0 }] } })
  expect(changed.body.filters.feature_enrollment).toBe(true)
  expect(await decide('u', withEnrolment('search', true))).toEqual({ search: true })
  const rejection = await request('PATCH', 'feature_flags/search/', {
    filters: { groups: [], feature_enrollment: false },
  })
  expect(rejection).toMatchObject({ status: 400, body: { attr: 'filters.feature_enrollment' } })
  for (const change of [
    () => request('DELETE', 'feature_flags/search/'),
    () => request('PATCH', 'feature_flags/search/', { deleted: true }),
    // Stored enrolments contain the key.
    () => request('PATCH', 'feature_flags/search/', { key: 'find' }),
  ])
    expect(await change()).toMatchObject({ status: 409, body: { code: 'in_use' } })

  expect((await request('PATCH', path, { feature_flag_id: 2 })).status).toBe(400)
  const updated = await request('PATCH', path, {
    stage: 'general-availability',
    documentation_url: 'https://a.example/doc',
  })
  expect(updated).toMatchObject({ status: 200, body: { name: 'Search', stage: 'general-availability' } })
  expect((await request('DELETE', path)).status).toBe(204)
  expect((await request('GET', path)).status).toBe(404)
  expect((await request('GET', 'feature_flags/search/')).body.filters).not.toHaveProperty('feature_enrollment')
  expect(await decide('u', withEnrolment('search', true))).toEqual({ search: false })
  expect((await request('PATCH', 'feature_flags/search/', { key: 'find' })).status).toBe(200)
  expect((await request('DELETE', 'feature_flags/find/')).status).toBe(204)
})

test('leaves a flag unchanged that had enrolment before the feature', async () => {
  const { request } = await openManagement()
  const filters = { groups: [], feature_enrollment: true }
  const flag = await request('POST', 'feature_flags/', { key: 'pre', filters })
  const { id } = (await request('POST', 'early_access_feature/', { name: 'Pre', feature_flag_id: 1 })).body
  expect((await request('DELETE', `early_access_feature/${id}/`)).status).toBe(204)
  expect((await request('GET', 'feature_flags/pre/')).body).toEqual(flag.body)
})

test('rejects a change based on an old version and ignores changes without effect', async () => {
  const { request } = await openManagement()
  const { id } = (await request('POST', 'early_access_feature/', { name: 'New' })).body
  const change = (body: object) => request('PATCH', `early_access_feature/${id}/`, body)
  expect(await change({ version: 1, stage: 'beta' })).toMatchObject({ status: 200, body: { version: 2 } })
  expect(await change({ version: 2, stage: 'beta' })).toMatchObject({ status: 200, body: { version: 2 } })
  expect(await change({ version: 1, stage: 'alpha' })).toMatchObject({
    status: 409,
    body: { code: 'version_conflict' },
  })
  expect((await request('GET', `early_access_feature/${id}/`)).body.stage).toBe('beta')
})

test('creates and changes flags only for keys with the scope to write flags', async () => {
  const { request, metadata } = await openManagement()
  const post = (body: object) => request('POST', 'early_access_feature/', body)
  await request('POST', 'feature_flags/', { key: 'plain', filters: { groups: [] } })
  await request('POST', 'feature_flags/', { key: 'pre', filters: { groups: [], feature_enrollment: true } })
  const created = (await post({ name: 'Created' })).body
  const scopes = '["feature_flag:read","early_access_feature:read","early_access_feature:write"]'
  await metadata.updateTable('personal_api_keys').set({ scopes }).execute()
  const before = (await request('GET', 'feature_flags/')).body
  for (const rejection of [
    await post({ name: 'x' }),
    await post({ name: 'x', feature_flag_id: 1 }),
    await request('DELETE', `early_access_feature/${created.id}/`),
  ]) {
    expect(rejection).toMatchObject({ status: 403, body: { code: 'permission_denied' } })
    expect(rejection.body.detail).toContain('"feature_flag:write"')
  }
  // Requests that do not change a flag do not need the scope.
  const { status, body } = await post({ name: 'x', feature_flag_id: 2 })
  expect(status).toBe(201)
  expect((await request('PATCH', `early_access_feature/${created.id}/`, { stage: 'beta' })).status).toBe(200)
  expect((await request('DELETE', `early_access_feature/${body.id}/`)).status).toBe(204)
  expect((await request('GET', 'feature_flags/')).body).toEqual(before)
  expect((await request('GET', 'early_access_feature/')).body.count).toBe(1)
})

test('lists features of a stage for pages, except drafts and archived features', async () => {
  const management = await openManagement()
  const stages = ['draft', 'concept', 'alpha', 'beta', 'general-availability', 'archived']
  for (const stage of stages) await management.request('POST', 'early_access_feature/', { name: stage, stage })
  const listStages = async (query: string) =>
    (await listForPages(management, query)).map(({ stage }: { stage: string }) => stage).sort()
  expect(await listStages('')).toEqual(['alpha', 'beta', 'concept', 'general-availability'])
  expect(await listStages('&stage=beta')).toEqual(['beta'])
  expect(await listStages('&stage=beta&stage=concept&stage=draft')).toEqual(['beta', 'concept'])
  for (const [query, code] of [
    ['', 'missing_api_key'],
    ['?token=wm_unknown', 'invalid_api_key'],
  ]) {
    const response = await management.app.inject({ method: 'GET', url: `/api/early_access_features/${query}` })
    expect([response.statusCode, response.json().code]).toEqual([401, code])
  }
  const postResponse = await management.app.inject({ method: 'POST', url: '/api/early_access_features/' })
  expect([postResponse.statusCode, postResponse.headers['allow']]).toEqual([405, 'GET'])
})

test.each<[object, string, string]>([
  [{}, 'name', '1 to 200 characters'],
  [{ name: '  ' }, 'name', '1 to 200 characters'],
  [{ name: '!?' }, 'name', 'a letter or a digit'],
  [{ name: 'Taken' }, 'name', '"feature_flag_id": 1'],
  [{ name: 'x', stage: 'gamma' }, 'stage', 'draft, concept, alpha'],
  [{ name: 'x', description: 5 }, 'description', 'must be a string'],
  [{ name: 'x', documentation_url: 'javascript:alert(1)' }, 'documentation_url', 'http'],
  [{ name: 'x', payload: [] }, 'payload', 'must be an object'],
  [{ name: 'x', feature_flag_id: 9 }, 'feature_flag_id', 'the id of an existing flag'],
  [{ name: 'x', feature_flag_id: 'taken' }, 'feature_flag_id', 'the id of an existing flag'],
  [{ name: 'x', feature_flag_id: 3 }, 'feature_flag_id', 'already'],
  [{ name: 'x', feature_flag_id: 2 }, 'feature_flag_id', 'a deleted flag'],
])('rejects an invalid feature with 400 and the name of the field (%#)', async (body, attr, expectedDetail) => {
  const { request } = await openManagement()
  await request('POST', 'feature_flags/', { key: 'taken', filters: { groups: [] } })
  await request('POST', 'feature_flags/', { key: 'gone', deleted: true, filters: { groups: [] } })
  await request('POST', 'early_access_feature/', { name: 'Other' })
  const response = await request('POST', 'early_access_feature/', body)
  expect(response).toMatchObject({ status: 400, body: { code: 'invalid_definition', attr } })
  expect(response.body.detail).toContain(expectedDetail)
  expect((await request('GET', 'early_access_feature/')).body.count).toBe(1)
  expect((await request('GET', 'feature_flags/')).body.count).toBe(2)
})

test('rejects a flag for groups, because persons enrol', async () => {
  const { request, metadata, project } = await openManagement()
  await metadata
    .insertInto('flag_settings')
    .values({
      project_id: project.id,
      revision: 1,
      group_types: '{"0":"company"}',
      is_paused: 0,
      property_matching_version: null,
    })
    .execute()
  const filters = { groups: [], aggregation_group_type_index: 0 }
  expect((await request('POST', 'feature_flags/', { key: 'team', filters })).status).toBe(201)
  const response = await request('POST', 'early_access_feature/', { name: 'x', feature_flag_id: 1 })
  expect(response).toMatchObject({ status: 400, body: { code: 'invalid_definition' } })
  expect(response.body.detail).toContain('persons enrol, not groups')
  expect((await request('GET', 'early_access_feature/')).body.count).toBe(0)
})
