import { expect, test } from 'vitest'
import { openManagement } from '../support/management.ts'

const berlin = { key: 'city', value: 'Berlin' }
const pro = { key: 'plan', value: 'pro' }
const inCohort = (value: number, operator = 'in') => ({ key: 'id', type: 'cohort', operator, value })
const cohort = (name: string, ...values: object[]) => ({ name, filters: { properties: { type: 'AND', values } } })
const flagOn = (key: string, ...properties: object[]) => ({ key, filters: { groups: [{ properties }] } })

test('creates, changes, lists and deletes cohorts; flags can refer to them at once', async () => {
  const { request, decide } = await openManagement()
  const created = await request('POST', 'cohorts/', { ...cohort('Pros', pro), color: 'red' })
  expect(created).toMatchObject({ status: 201, body: { id: 1, name: 'Pros', color: 'red', version: 1 } })
  await request('POST', 'feature_flags/', flagOn('beta', inCohort(1)))
  await request('POST', 'feature_flags/', flagOn('others', inCohort(1, 'not_in')))
  const person_properties = { plan: 'pro', city: 'Bonn' }
  expect(await decide('u', { person_properties })).toEqual({ beta: true, others: false })

  const filters = cohort('', pro, berlin).filters
  const changed = await request('PATCH', 'cohorts/1/', { filters, description: 'of Berlin' })
  expect(changed).toMatchObject({ status: 200, body: { name: 'Pros', description: 'of Berlin', filters, version: 2 } })
  expect(await decide('u', { person_properties })).toEqual({ beta: false, others: true })
  expect((await request('GET', 'cohorts/', undefined, 'projects')).body).toMatchObject({
    count: 1,
    results: [changed.body],
  })
  expect((await request('PATCH', 'cohorts/1/', { version: 1 })).status).toBe(409)

  await request('POST', 'cohorts/', cohort('Berliners', berlin))
  expect((await request('DELETE', 'cohorts/2/')).status).toBe(204)
  expect((await request('GET', 'cohorts/2/')).body.code).toBe('not_found')
  // Ids are never reused, because clients may still refer to the deleted cohort.
  expect((await request('POST', 'cohorts/', cohort('Third', pro))).body.id).toBe(3)
})

test('reads null as a field that is missing', async () => {
  const { request } = await openManagement()
  const created = await request('POST', 'cohorts/', { ...cohort('Pros', pro), deleted: null })
  expect(created).toMatchObject({ status: 201 })
  expect(created.body).not.toHaveProperty('deleted')
  await request('PATCH', 'cohorts/1/', { deleted: true })
  expect((await request('PATCH', 'cohorts/1/', { deleted: null })).body).not.toHaveProperty('deleted')
  expect((await request('GET', 'cohorts/')).body.count).toBe(1)
})

test('serves nested cohorts, and dependencies of flags in order of evaluation', async () => {
  const { request, app, project, personalApiKey, decide } = await openManagement()
  await request('POST', 'feature_flags/', flagOn('base', pro))
  const onBase = { key: 'base', type: 'flag', operator: 'flag_evaluates_to', value: true, dependency_chain: ['x'] }
  await request('POST', 'cohorts/', { name: 'Base', filters: { properties: { type: 'OR', values: [onBase] } } })
  const nested = { type: 'OR', values: [{ type: 'AND', values: [berlin, { ...pro, negation: true }] }, inCohort(1)] }
  await request('POST', 'cohorts/', { name: 'Nested', filters: { properties: nested } })
  await request('POST', 'feature_flags/', flagOn('middle', inCohort(2)))
  const onMiddle = { key: 'middle', type: 'flag', value: true }
  await request('POST', 'feature_flags/', flagOn('top', onMiddle))

  const headers = { authorization: `Bearer ${personalApiKey}` }
  const url = `/flags/definitions?token=${project.apiKey}&send_cohorts`
  const feed = (await app.inject({ method: 'GET', url, headers })).json()
  expect(feed.cohorts).toEqual({
    1: { type: 'OR', values: [{ ...onBase, dependency_chain: ['base'] }] },
    2: nested,
  })
  expect(feed.flags.map((flag: { filters: { groups: unknown[] } }) => flag.filters.groups[0])).toEqual([
    { properties: [pro] },
    { properties: [inCohort(2)] },
    { properties: [{ ...onMiddle, dependency_chain: ['base', 'middle'] }] },
  ])
  for (const [person_properties, value] of [
    [{ plan: 'pro', city: 'Bonn' }, true],
    [{ plan: 'free', city: 'Berlin' }, true],
    [{ plan: 'free', city: 'Bonn' }, false],
  ] as const)
    expect(await decide('u', { person_properties })).toMatchObject({ middle: value, top: value })
})

test('rejects removing a cohort in use, and names the definition that uses it', async () => {
  const { request } = await openManagement()
  await request('POST', 'cohorts/', cohort('Pros', pro))
  await request('POST', 'cohorts/', cohort('More', inCohort(1)))
  for (const change of [
    () => request('DELETE', 'cohorts/1/'),
    () => request('PATCH', 'cohorts/1/', { deleted: true }),
  ]) {
    const response = await change()
    expect(response).toMatchObject({ status: 409, body: { code: 'in_use' } })
    expect(response.body.detail).toContain('cohort 2 ("More") still refers to cohort 1 ("Pros")')
  }
  await request('POST', 'feature_flags/', flagOn('beta', inCohort(2)))
  expect((await request('DELETE', 'cohorts/2/')).body.detail).toContain('flag "beta" still refers to cohort 2 ("More")')

  // A deleted flag does not prevent the removal, but cannot be restored afterwards.
  await request('PATCH', 'feature_flags/beta/', { deleted: true })
  expect((await request('PATCH', 'cohorts/2/', { deleted: true })).status).toBe(200)
  expect((await request('GET', 'cohorts/')).body.results).toMatchObject([{ id: 1 }])
  const restoration = await request('PATCH', 'feature_flags/beta/', { deleted: false })
  expect(restoration).toMatchObject({ status: 400, body: { attr: 'filters.groups[0].properties[0]' } })
  await request('PATCH', 'cohorts/2/', { deleted: false })
  expect((await request('PATCH', 'feature_flags/beta/', { deleted: false })).status).toBe(200)
})

test('rejects dependency cycles through cohorts and flags', async () => {
  const { request } = await openManagement()
  await request('POST', 'cohorts/', cohort('One', pro))
  await request('POST', 'feature_flags/', flagOn('a', inCohort(1)))
  const onA = { key: 'a', type: 'flag', value: true }
  const cycle = await request('PATCH', 'cohorts/1/', cohort('One', pro, onA))
  expect(cycle).toMatchObject({ status: 400, body: { attr: 'filters.properties.values[1]' } })
  expect(cycle.body.detail).toContain('cohort 1 ("One") → flag "a" → cohort 1 ("One")')
  expect((await request('POST', 'cohorts/', cohort('Self', inCohort(2)))).body.detail).toContain('cycle')
})

test('rejects nested cohorts with too many conditions in total', async () => {
  const { request } = await openManagement()
  await request('POST', 'cohorts/', cohort('1', pro))
  // Each cohort refers twice to the one before it, so the number of conditions doubles with each.
  let lastStatus = 201
  for (let id = 2; id <= 15; id++)
    lastStatus = (await request('POST', 'cohorts/', cohort(`${id}`, inCohort(id - 1), inCohort(id - 1)))).status
  expect(lastStatus).toBe(201)
  expect((await request('POST', 'feature_flags/', flagOn('fine', inCohort(5)))).status).toBe(201)
  const refused = await request('POST', 'cohorts/', cohort('16', inCohort(15), inCohort(15)))
  expect(refused).toMatchObject({ status: 400, body: { attr: 'filters' } })
  expect(refused.body.detail).toContain('may need 32768 comparisons to evaluate; the maximum is 20000')
  const response = await request('POST', 'feature_flags/', flagOn('huge', inCohort(15)))
  expect(response).toMatchObject({ status: 400, body: { attr: 'filters' } })
  expect(response.body.detail).toContain('more than 10000 conditions')
  const reduced = await request('PATCH', 'cohorts/5/', cohort('5', inCohort(4)))
  expect(reduced.status).toBe(200)
})

test.each<[object, string | null, string]>([
  [{ filters: {} }, 'name', 'must be a string'],
  [{ name: 'x' }, 'filters', 'must be an object'],
  [{ name: 'x', filters: {} }, 'filters.properties', 'must be an object'],
  [{ name: 'x', is_static: true, filters: { properties: {} } }, 'is_static', 'defined by conditions'],
  [{ name: 'x', filters: { properties: { type: 'XOR', values: [] } } }, 'filters.properties.type', '"AND" or "OR"'],
  [{ name: 'x', filters: { properties: { type: 'AND' } } }, 'filters.properties.values', 'must be an array'],
  [
    cohort('x', { type: 'behavioral', key: 'e', value: 1 }),
    'filters.properties.values[0].type',
    'must be one of person',
  ],
  [cohort('x', { key: 'x' }), 'filters.properties.values[0].value', 'is missing'],
  [cohort('x', { ...pro, negation: 'yes' }), 'filters.properties.values[0].negation', 'true or false'],
  [cohort('x', { ...pro, operator: 'nearly' }), 'filters.properties.values[0]', 'the operator "nearly"'],
  [cohort('x', inCohort(9)), 'filters.properties.values[0]', 'cohort 9, which does not exist'],
  [
    cohort('x', { type: 'OR', values: [{ key: 'g', type: 'flag', value: true }] }),
    'filters.properties.values[0].values[0]',
    'flag "g", which does not exist',
  ],
])('rejects an invalid cohort with 400 and the path of the field (%#)', async (body, attr, expectedDetail) => {
  const { request } = await openManagement()
  const response = await request('POST', 'cohorts/', body)
  expect(response).toMatchObject({ status: 400, body: { code: 'invalid_definition', attr } })
  expect(response.body.detail).toContain(expectedDetail)
  expect((await request('GET', 'cohorts/')).body.count).toBe(0)
})

test('accepts a cohort without conditions and up to 20 levels of nesting', async () => {
  const { request } = await openManagement()
  expect((await request('POST', 'cohorts/', { name: 'All', filters: { properties: {} } })).status).toBe(201)
  const nestedGroups = (levels: number): object =>
    levels === 0 ? pro : { type: 'AND', values: [nestedGroups(levels - 1)] }
  const cohortOf = (levels: number) => ({ name: 'x', filters: { properties: nestedGroups(levels) } })
  expect((await request('POST', 'cohorts/', cohortOf(20))).status).toBe(201)
  expect((await request('POST', 'cohorts/', cohortOf(21))).body.detail).toContain('more than 20 levels')
})
