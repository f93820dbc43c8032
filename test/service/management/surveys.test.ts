import { expect, test } from 'vitest'
import { openManagement } from '../support/management.ts'

type Management = Awaited<ReturnType<typeof openManagement>>
/** The response that pages get. */
const listForPages = async ({ app, project }: Management, query = `?token=${project.apiKey}`) => {
  const response = await app.inject({ method: 'GET', url: `/api/surveys/${query}` })
  return { status: response.statusCode, headers: response.headers, body: response.json() }
}
const openQuestion = { type: 'open', question: 'How was it?' }
const survey = (fields: object = {}) => ({ name: 'Checkout', type: 'popover', questions: [openQuestion], ...fields })

test('stores a survey with unknown fields and adds an id to each question', async () => {
  const management = await openManagement()
  const { request } = management
  const question = { ...openQuestion, id: 'mine', later: { field: 1 } }
  const created = await request('POST', 'surveys/', survey({ questions: [question, openQuestion], note: 'ours' }))
  expect(created).toMatchObject({ status: 201 })
  const { warnings, ...body } = created.body
  expect(warnings).toHaveLength(2)
  const { id } = body
  expect(body).toEqual({
    id: expect.stringMatching(/^[0-9a-f-]{36}$/),
    name: 'Checkout',
    type: 'popover',
    questions: [question, { ...openQuestion, id: expect.stringMatching(/^[0-9a-f-]{36}$/) }],
    note: 'ours',
    start_date: null,
    end_date: null,
    archived: false,
    version: 1,
    created_at: '2027-01-15T08:00:00.000Z',
    updated_at: '2027-01-15T08:00:00.000Z',
  })
  expect(await request('GET', `surveys/${id}/`, undefined, 'projects')).toMatchObject({
    status: 200,
    body,
  })
  const { body: page } = await request('GET', 'surveys/?limit=1')
  expect(page).toMatchObject({ count: 1, next: null, results: [body] })
  expect((await request('DELETE', `surveys/${id}/`)).status).toBe(204)
  expect((await request('GET', `surveys/${id}/`)).status).toBe(404)
  expect((await listForPages(management)).body.surveys).toEqual([])
})

test('serves a survey to pages at once, in the form that their packages expect', async () => {
  const management = await openManagement()
  expect(await listForPages(management)).toMatchObject({ status: 200, body: { surveys: [], survey_config: null } })
  await management.request('POST', 'feature_flags/', { key: 'new-cart', filters: { groups: [{}] } })
  const conditions = { url: 'shop', urlMatchType: 'icontains', events: { values: [{ name: 'paid' }] } }
  const input = survey({ linked_flag_id: 1, start_date: '2027-01-01', conditions, appearance: {}, note: 'ours' })
  const { id, questions } = (await management.request('POST', 'surveys/', input)).body
  const { body, headers } = await listForPages(management)
  expect(body).toEqual({
    surveys: [
      {
        id,
        name: 'Checkout',
        description: '',
        type: 'popover',
        linked_flag_key: 'new-cart',
        targeting_flag_key: null,
        internal_targeting_flag_key: null,
        feature_flag_keys: [
          { key: 'linked_flag_key', value: 'new-cart' },
          { key: 'targeting_flag_key', value: null },
          { key: 'internal_targeting_flag_key', value: null },
        ],
        questions,
        conditions,
        appearance: {},
        start_date: '2027-01-01T00:00:00.000Z',
        end_date: null,
        current_iteration: null,
        current_iteration_start_date: null,
        schedule: 'once',
        enable_partial_responses: false,
      },
    ],
    survey_config: null,
  })
  expect(headers['content-type']).toBe('application/json; charset=utf-8')
  // The packages send their own query parameters, with and without the trailing slash.
  const url = `/api/surveys?token=${management.project.apiKey}&ip=0&_=1&ver=1.430.0`
  expect((await management.app.inject({ method: 'GET', url })).json()).toEqual(body)
})

test('hides an archived survey from pages', async () => {
  const management = await openManagement()
  const { id } = (await management.request('POST', 'surveys/', survey())).body
  expect((await listForPages(management)).body.surveys).toHaveLength(1)
  expect(await management.request('PATCH', `surveys/${id}/`, { archived: true })).toMatchObject({ status: 200 })
  expect((await listForPages(management)).body.surveys).toEqual([])
  expect((await management.request('GET', 'surveys/')).body.count).toBe(1)
})

test.each([
  ['', 'missing_api_key'],
  ['?token=wm_unknown', 'invalid_api_key'],
])('lists surveys only with a project API key (%#)', async (query, code) => {
  expect(await listForPages(await openManagement(), query)).toMatchObject({ status: 401, body: { code } })
})

test('rejects a change based on an old version and ignores changes without effect', async () => {
  const { request } = await openManagement()
  const { id, questions } = (await request('POST', 'surveys/', survey())).body
  const change = (body: object) => request('PATCH', `surveys/${id}/`, body)
  expect(await change({ version: 1, name: 'Other' })).toMatchObject({ status: 200, body: { version: 2, questions } })
  expect(await change({ version: 2, name: 'Other' })).toMatchObject({ status: 200, body: { version: 2 } })
  expect(await change({ version: 1, name: 'Third' })).toMatchObject({ status: 409, body: { code: 'version_conflict' } })
  expect(await change({ questions: [] })).toMatchObject({ status: 400, body: { attr: 'questions' } })
  expect((await request('GET', `surveys/${id}/`)).body).toMatchObject({ name: 'Other', questions })
})

test('accepts only existing flags and protects them', async () => {
  const { request } = await openManagement()
  await request('POST', 'feature_flags/', { key: 'a', filters: { groups: [] } })
  await request('POST', 'feature_flags/', { key: 'gone', deleted: true, filters: { groups: [] } })
  for (const [flag, expectedDetail] of [
    [2, 'a deleted flag'],
    [3, 'the id of an existing flag'],
  ]) {
    const rejection = await request('POST', 'surveys/', survey({ targeting_flag_id: flag }))
    expect(rejection).toMatchObject({ status: 400, body: { code: 'invalid_definition', attr: 'targeting_flag_id' } })
    expect(rejection.body.detail).toContain(expectedDetail)
  }
  const { id } = (await request('POST', 'surveys/', survey({ targeting_flag_id: 1 }))).body
  for (const rejection of [
    await request('DELETE', 'feature_flags/a/'),
    await request('PATCH', 'feature_flags/a/', { deleted: true }),
  ]) {
    expect(rejection).toMatchObject({ status: 409, body: { code: 'in_use' } })
    expect(rejection.body.detail).toContain('the survey "Checkout" still uses flag "a"')
  }
  await request('PATCH', `surveys/${id}/`, { targeting_flag_id: null })
  expect((await request('DELETE', 'feature_flags/a/')).status).toBe(204)
})

test('requires a key with the scope for surveys', async () => {
  const { request, metadata } = await openManagement()
  await metadata.updateTable('personal_api_keys').set({ scopes: '["survey:read"]' }).execute()
  expect((await request('GET', 'surveys/')).status).toBe(200)
  const rejection = await request('POST', 'surveys/', survey())
  expect(rejection).toMatchObject({ status: 403, body: { code: 'permission_denied' } })
  expect(rejection.body.detail).toContain('"survey:write"')
})
