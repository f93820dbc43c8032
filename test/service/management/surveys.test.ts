import { expect, test } from 'vitest'
import { openManagement } from '../support/management.ts'

type Bed = Awaited<ReturnType<typeof openManagement>>
/** What pages are told. */
const told = async ({ app, project }: Bed, query = `?token=${project.apiKey}`) => {
  const answer = await app.inject({ method: 'GET', url: `/api/surveys/${query}` })
  return { status: answer.statusCode, headers: answer.headers, body: answer.json() }
}
const open = { type: 'open', question: 'How was it?' }
const survey = (given: object = {}) => ({ name: 'Checkout', type: 'popover', questions: [open], ...given })

test('keeps a survey as it was given, with fields that are not known and an id for each question', async () => {
  const bed = await openManagement()
  const { ask } = bed
  const question = { ...open, id: 'mine', later: { field: 1 } }
  const created = await ask('POST', 'surveys/', survey({ questions: [question, open], note: 'ours' }))
  expect(created).toMatchObject({ status: 201 })
  const { id } = created.body
  expect(created.body).toEqual({
    id: expect.stringMatching(/^[0-9a-f-]{36}$/),
    name: 'Checkout',
    type: 'popover',
    questions: [question, { ...open, id: expect.stringMatching(/^[0-9a-f-]{36}$/) }],
    note: 'ours',
    start_date: null,
    end_date: null,
    archived: false,
    version: 1,
    created_at: '2027-01-15T08:00:00.000Z',
    updated_at: '2027-01-15T08:00:00.000Z',
  })
  expect(await ask('GET', `surveys/${id}/`, undefined, 'projects')).toMatchObject({ status: 200, body: created.body })
  const { body: page } = await ask('GET', 'surveys/?limit=1')
  expect(page).toMatchObject({ count: 1, next: null, results: [created.body] })
  expect((await ask('DELETE', `surveys/${id}/`)).status).toBe(204)
  expect((await ask('GET', `surveys/${id}/`)).status).toBe(404)
  expect((await told(bed)).body.surveys).toEqual([])
})

test('tells pages of a survey in the shape that their packages read, at once and without what is not for them', async () => {
  const bed = await openManagement()
  expect(await told(bed)).toMatchObject({ status: 200, body: { surveys: [], survey_config: null } })
  await bed.ask('POST', 'feature_flags/', { key: 'new-cart', filters: { groups: [{}] } })
  const conditions = { url: 'shop', urlMatchType: 'icontains', events: { values: [{ name: 'paid' }] } }
  const given = survey({ linked_flag_id: 1, start_date: '2027-01-01', conditions, appearance: {}, note: 'ours' })
  const { id, questions } = (await bed.ask('POST', 'surveys/', given)).body
  const { body, headers } = await told(bed)
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
  // The packages ask with query parameters of their own, with and without the slash.
  const asked = `/api/surveys?token=${bed.project.apiKey}&ip=0&_=1&ver=1.430.0`
  expect((await bed.app.inject({ method: 'GET', url: asked })).json()).toEqual(body)
})

test('tells pages no more of a survey that is archived', async () => {
  const bed = await openManagement()
  const { id } = (await bed.ask('POST', 'surveys/', survey())).body
  expect((await told(bed)).body.surveys).toHaveLength(1)
  expect(await bed.ask('PATCH', `surveys/${id}/`, { archived: true })).toMatchObject({ status: 200 })
  expect((await told(bed)).body.surveys).toEqual([])
  expect((await bed.ask('GET', 'surveys/')).body.count).toBe(1)
})

test.each([
  ['', 'missing_api_key'],
  ['?token=wm_unknown', 'invalid_api_key'],
])('tells surveys only to who names a project (%#)', async (query, code) => {
  expect(await told(await openManagement(), query)).toMatchObject({ status: 401, body: { code } })
})

test('changes a survey only from the version that was read, and counts none that changes nothing', async () => {
  const { ask } = await openManagement()
  const { id, questions } = (await ask('POST', 'surveys/', survey())).body
  const change = (body: object) => ask('PATCH', `surveys/${id}/`, body)
  expect(await change({ version: 1, name: 'Other' })).toMatchObject({ status: 200, body: { version: 2, questions } })
  expect(await change({ version: 2, name: 'Other' })).toMatchObject({ status: 200, body: { version: 2 } })
  expect(await change({ version: 1, name: 'Third' })).toMatchObject({ status: 409, body: { code: 'version_conflict' } })
  expect(await change({ questions: [] })).toMatchObject({ status: 400, body: { attr: 'questions' } })
  expect((await ask('GET', `surveys/${id}/`)).body).toMatchObject({ name: 'Other', questions })
})

test('names only flags that are there, and keeps those', async () => {
  const { ask } = await openManagement()
  await ask('POST', 'feature_flags/', { key: 'a', filters: { groups: [] } })
  await ask('POST', 'feature_flags/', { key: 'gone', deleted: true, filters: { groups: [] } })
  for (const [flag, rule] of [
    [2, 'a deleted flag'],
    [3, 'the id of a flag'],
  ]) {
    const refused = await ask('POST', 'surveys/', survey({ targeting_flag_id: flag }))
    expect(refused).toMatchObject({ status: 400, body: { code: 'invalid_definition', attr: 'targeting_flag_id' } })
    expect(refused.body.detail).toContain(rule)
  }
  const { id } = (await ask('POST', 'surveys/', survey({ targeting_flag_id: 1 }))).body
  for (const refused of [
    await ask('DELETE', 'feature_flags/a/'),
    await ask('PATCH', 'feature_flags/a/', { deleted: true }),
  ]) {
    expect(refused).toMatchObject({ status: 409, body: { code: 'in_use' } })
    expect(refused.body.detail).toContain('the survey "Checkout" still names flag "a"')
  }
  await ask('PATCH', `surveys/${id}/`, { targeting_flag_id: null })
  expect((await ask('DELETE', 'feature_flags/a/')).status).toBe(204)
})

test('is for keys with the scope of surveys', async () => {
  const { ask, metadata } = await openManagement()
  await metadata.updateTable('personal_api_keys').set({ scopes: '["survey:read"]' }).execute()
  expect((await ask('GET', 'surveys/')).status).toBe(200)
  const refused = await ask('POST', 'surveys/', survey())
  expect(refused).toMatchObject({ status: 403, body: { code: 'permission_denied' } })
  expect(refused.body.detail).toContain('"survey:write"')
})
