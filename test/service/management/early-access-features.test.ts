import { expect, test } from 'vitest'
import { openManagement } from '../support/management.ts'

type Bed = Awaited<ReturnType<typeof openManagement>>
const offered = async ({ app, project }: Bed, query = '') => {
  const answer = await app.inject({ method: 'GET', url: `/api/early_access_features/?token=${project.apiKey}${query}` })
  return answer.json().earlyAccessFeatures
}
const enrolled = (key: string, isIn: boolean) => ({ person_properties: { [`$feature_enrollment/${key}`]: isIn } })

test('makes a flag of a new feature, which is on for those who enrol', async () => {
  const bed = await openManagement()
  const { ask, decide } = bed
  const created = await ask('POST', 'early_access_feature/', { name: 'Dark mode!', stage: 'beta', payload: { n: 1 } })
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
  expect((await ask('GET', 'feature_flags/1/')).body).toMatchObject({
    key: 'dark-mode',
    name: 'Dark mode!',
    active: true,
    filters: { groups: [], feature_enrollment: true },
  })
  expect(await decide('u')).toEqual({ 'dark-mode': false })
  expect(await decide('u', enrolled('dark-mode', true))).toEqual({ 'dark-mode': true })
  expect((await ask('GET', 'early_access_feature/')).body).toMatchObject({ count: 1, results: [created.body] })
  expect((await ask('GET', `early_access_feature/${id}/`, undefined, 'projects')).body).toEqual(created.body)
  expect(await offered(bed)).toEqual([
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

test('stands on a flag that is there, for as long as the feature is', async () => {
  const bed = await openManagement()
  const { ask, decide } = bed
  await ask('POST', 'feature_flags/', { key: 'search', filters: { groups: [{}], feature_enrollment: false } })
  const created = await ask('POST', 'early_access_feature/', { name: 'Search', stage: 'alpha', feature_flag_id: 1 })
  const path = `early_access_feature/${created.body.id}/`
  expect(created).toMatchObject({ status: 201, body: { feature_flag_id: 1 } })
  expect(await decide('u', enrolled('search', false))).toEqual({ search: false })

  // Conditions that forget the enrolment do not end it.
  const changed = await ask('PATCH', 'feature_flags/search/', { filters: { groups: [{ rollout_percentage: 0 }] } })
  expect(changed.body.filters.feature_enrollment).toBe(true)
  expect(await decide('u', enrolled('search', true))).toEqual({ search: true })
  const ended = await ask('PATCH', 'feature_flags/search/', { filters: { groups: [], feature_enrollment: false } })
  expect(ended).toMatchObject({ status: 400, body: { attr: 'filters.feature_enrollment' } })
  for (const change of [
    () => ask('DELETE', 'feature_flags/search/'),
    () => ask('PATCH', 'feature_flags/search/', { deleted: true }),
    // People enrolled under the key.
    () => ask('PATCH', 'feature_flags/search/', { key: 'find' }),
  ])
    expect(await change()).toMatchObject({ status: 409, body: { code: 'in_use' } })

  expect((await ask('PATCH', path, { feature_flag_id: 2 })).status).toBe(400)
  const moved = await ask('PATCH', path, { stage: 'general-availability', documentation_url: 'https://a.example/doc' })
  expect(moved).toMatchObject({ status: 200, body: { name: 'Search', stage: 'general-availability' } })
  expect((await ask('DELETE', path)).status).toBe(204)
  expect((await ask('GET', path)).status).toBe(404)
  expect((await ask('GET', 'feature_flags/search/')).body.filters).not.toHaveProperty('feature_enrollment')
  expect(await decide('u', enrolled('search', true))).toEqual({ search: false })
  expect((await ask('PATCH', 'feature_flags/search/', { key: 'find' })).status).toBe(200)
  expect((await ask('DELETE', 'feature_flags/find/')).status).toBe(204)
})

test('leaves a flag that asked people to enrol before the feature came as it was', async () => {
  const { ask } = await openManagement()
  const filters = { groups: [], feature_enrollment: true }
  const flag = await ask('POST', 'feature_flags/', { key: 'pre', filters })
  const { id } = (await ask('POST', 'early_access_feature/', { name: 'Pre', feature_flag_id: 1 })).body
  expect((await ask('DELETE', `early_access_feature/${id}/`)).status).toBe(204)
  expect((await ask('GET', 'feature_flags/pre/')).body).toEqual(flag.body)
})

test('changes a feature only from the version that was read, and counts none that changes nothing', async () => {
  const { ask } = await openManagement()
  const { id } = (await ask('POST', 'early_access_feature/', { name: 'New' })).body
  const change = (body: object) => ask('PATCH', `early_access_feature/${id}/`, body)
  expect(await change({ version: 1, stage: 'beta' })).toMatchObject({ status: 200, body: { version: 2 } })
  expect(await change({ version: 2, stage: 'beta' })).toMatchObject({ status: 200, body: { version: 2 } })
  expect(await change({ version: 1, stage: 'alpha' })).toMatchObject({
    status: 409,
    body: { code: 'version_conflict' },
  })
  expect((await ask('GET', `early_access_feature/${id}/`)).body.stage).toBe('beta')
})

test('makes and changes flags only for a key that may write flags', async () => {
  const { ask, metadata } = await openManagement()
  const post = (body: object) => ask('POST', 'early_access_feature/', body)
  await ask('POST', 'feature_flags/', { key: 'plain', filters: { groups: [] } })
  await ask('POST', 'feature_flags/', { key: 'pre', filters: { groups: [], feature_enrollment: true } })
  const made = (await post({ name: 'Made' })).body
  const scopes = '["feature_flag:read","early_access_feature:read","early_access_feature:write"]'
  await metadata.updateTable('personal_api_keys').set({ scopes }).execute()
  const before = (await ask('GET', 'feature_flags/')).body
  for (const refused of [
    await post({ name: 'x' }),
    await post({ name: 'x', feature_flag_id: 1 }),
    await ask('DELETE', `early_access_feature/${made.id}/`),
  ]) {
    expect(refused).toMatchObject({ status: 403, body: { code: 'permission_denied' } })
    expect(refused.body.detail).toContain('"feature_flag:write"')
  }
  // What needs no change of a flag needs no right to one.
  const { status, body } = await post({ name: 'x', feature_flag_id: 2 })
  expect(status).toBe(201)
  expect((await ask('PATCH', `early_access_feature/${made.id}/`, { stage: 'beta' })).status).toBe(200)
  expect((await ask('DELETE', `early_access_feature/${body.id}/`)).status).toBe(204)
  expect((await ask('GET', 'feature_flags/')).body).toEqual(before)
  expect((await ask('GET', 'early_access_feature/')).body.count).toBe(1)
})

test('shows everybody what can be tried, by stage, and never drafts or what is archived', async () => {
  const bed = await openManagement()
  const stages = ['draft', 'concept', 'alpha', 'beta', 'general-availability', 'archived']
  for (const stage of stages) await bed.ask('POST', 'early_access_feature/', { name: stage, stage })
  const stagesOf = async (query: string) =>
    (await offered(bed, query)).map(({ stage }: { stage: string }) => stage).sort()
  expect(await stagesOf('')).toEqual(['alpha', 'beta', 'concept', 'general-availability'])
  expect(await stagesOf('&stage=beta')).toEqual(['beta'])
  expect(await stagesOf('&stage=beta&stage=concept&stage=draft')).toEqual(['beta', 'concept'])
  for (const [query, code] of [
    ['', 'missing_api_key'],
    ['?token=wm_unknown', 'invalid_api_key'],
  ]) {
    const answer = await bed.app.inject({ method: 'GET', url: `/api/early_access_features/${query}` })
    expect([answer.statusCode, answer.json().code]).toEqual([401, code])
  }
  const wrong = await bed.app.inject({ method: 'POST', url: '/api/early_access_features/' })
  expect([wrong.statusCode, wrong.headers['allow']]).toEqual([405, 'GET'])
})

test.each<[object, string, string]>([
  [{}, 'name', '1 to 200 characters'],
  [{ name: '  ' }, 'name', '1 to 200 characters'],
  [{ name: '!?' }, 'name', 'a letter or a digit'],
  [{ name: 'Taken' }, 'name', '"feature_flag_id": 1'],
  [{ name: 'x', stage: 'gamma' }, 'stage', 'draft, concept, alpha'],
  [{ name: 'x', description: 5 }, 'description', 'must be a text'],
  [{ name: 'x', documentation_url: 'javascript:alert(1)' }, 'documentation_url', 'http'],
  [{ name: 'x', payload: [] }, 'payload', 'must be an object'],
  [{ name: 'x', feature_flag_id: 9 }, 'feature_flag_id', 'the id of a flag'],
  [{ name: 'x', feature_flag_id: 'taken' }, 'feature_flag_id', 'the id of a flag'],
  [{ name: 'x', feature_flag_id: 3 }, 'feature_flag_id', 'already'],
  [{ name: 'x', feature_flag_id: 2 }, 'feature_flag_id', 'a deleted flag'],
])('refuses a feature with 400 and names the field (%#)', async (body, attr, rule) => {
  const { ask } = await openManagement()
  await ask('POST', 'feature_flags/', { key: 'taken', filters: { groups: [] } })
  await ask('POST', 'feature_flags/', { key: 'gone', deleted: true, filters: { groups: [] } })
  await ask('POST', 'early_access_feature/', { name: 'Other' })
  const answer = await ask('POST', 'early_access_feature/', body)
  expect(answer).toMatchObject({ status: 400, body: { code: 'invalid_definition', attr } })
  expect(answer.body.detail).toContain(rule)
  expect((await ask('GET', 'early_access_feature/')).body.count).toBe(1)
  expect((await ask('GET', 'feature_flags/')).body.count).toBe(2)
})

test('does not stand on a flag for groups: persons enrol', async () => {
  const { ask, metadata, project } = await openManagement()
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
  expect((await ask('POST', 'feature_flags/', { key: 'team', filters })).status).toBe(201)
  const answer = await ask('POST', 'early_access_feature/', { name: 'x', feature_flag_id: 1 })
  expect(answer).toMatchObject({ status: 400, body: { code: 'invalid_definition' } })
  expect(answer.body.detail).toContain('persons enrol, not groups')
  expect((await ask('GET', 'early_access_feature/')).body.count).toBe(0)
})
