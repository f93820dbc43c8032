import { expect, test } from 'vitest'
import { openManagement } from '../support/management.ts'

const berlin = { key: 'city', value: 'Berlin' }
const pro = { key: 'plan', value: 'pro' }
const inCohort = (value: number, operator = 'in') => ({ key: 'id', type: 'cohort', operator, value })
const cohort = (name: string, ...values: object[]) => ({ name, filters: { properties: { type: 'AND', values } } })
const flagOn = (key: string, ...properties: object[]) => ({ key, filters: { groups: [{ properties }] } })

test('creates, changes, lists and deletes cohorts, which flags can refer to at once', async () => {
  const { ask, decide } = await openManagement()
  const created = await ask('POST', 'cohorts/', { ...cohort('Pros', pro), color: 'red' })
  expect(created).toMatchObject({ status: 201, body: { id: 1, name: 'Pros', color: 'red', version: 1 } })
  await ask('POST', 'feature_flags/', flagOn('beta', inCohort(1)))
  await ask('POST', 'feature_flags/', flagOn('others', inCohort(1, 'not_in')))
  const person_properties = { plan: 'pro', city: 'Bonn' }
  expect(await decide('u', { person_properties })).toEqual({ beta: true, others: false })

  const filters = cohort('', pro, berlin).filters
  const changed = await ask('PATCH', 'cohorts/1/', { filters, description: 'of Berlin' })
  expect(changed).toMatchObject({ status: 200, body: { name: 'Pros', description: 'of Berlin', filters, version: 2 } })
  expect(await decide('u', { person_properties })).toEqual({ beta: false, others: true })
  expect((await ask('GET', 'cohorts/', undefined, 'projects')).body).toMatchObject({
    count: 1,
    results: [changed.body],
  })
  expect((await ask('PATCH', 'cohorts/1/', { version: 1 })).status).toBe(409)

  await ask('POST', 'cohorts/', cohort('Berliners', berlin))
  expect((await ask('DELETE', 'cohorts/2/')).status).toBe(204)
  expect((await ask('GET', 'cohorts/2/')).body.code).toBe('not_found')
  // An id is never given again: something may still remember what it meant.
  expect((await ask('POST', 'cohorts/', cohort('Third', pro))).body.id).toBe(3)
})

test('serves cohorts inside cohorts, and flags in them, with the order in which to evaluate', async () => {
  const { ask, app, project, key, decide } = await openManagement()
  await ask('POST', 'feature_flags/', flagOn('base', pro))
  const onBase = { key: 'base', type: 'flag', operator: 'flag_evaluates_to', value: true, dependency_chain: ['x'] }
  await ask('POST', 'cohorts/', { name: 'Base', filters: { properties: { type: 'OR', values: [onBase] } } })
  const nested = { type: 'OR', values: [{ type: 'AND', values: [berlin, { ...pro, negation: true }] }, inCohort(1)] }
  await ask('POST', 'cohorts/', { name: 'Nested', filters: { properties: nested } })
  await ask('POST', 'feature_flags/', flagOn('middle', inCohort(2)))
  const onMiddle = { key: 'middle', type: 'flag', value: true }
  await ask('POST', 'feature_flags/', flagOn('top', onMiddle))

  const headers = { authorization: `Bearer ${key}` }
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

test('keeps a cohort that is in use, and says by whom', async () => {
  const { ask } = await openManagement()
  await ask('POST', 'cohorts/', cohort('Pros', pro))
  await ask('POST', 'cohorts/', cohort('More', inCohort(1)))
  for (const change of [() => ask('DELETE', 'cohorts/1/'), () => ask('PATCH', 'cohorts/1/', { deleted: true })]) {
    const answer = await change()
    expect(answer).toMatchObject({ status: 409, body: { code: 'in_use' } })
    expect(answer.body.detail).toContain('cohort 2 ("More") still refers to cohort 1 ("Pros")')
  }
  await ask('POST', 'feature_flags/', flagOn('beta', inCohort(2)))
  expect((await ask('DELETE', 'cohorts/2/')).body.detail).toContain('flag "beta" still refers to cohort 2 ("More")')

  // A deleted flag holds nothing back, and can then not be restored.
  await ask('PATCH', 'feature_flags/beta/', { deleted: true })
  expect((await ask('PATCH', 'cohorts/2/', { deleted: true })).status).toBe(200)
  expect((await ask('GET', 'cohorts/')).body.results).toMatchObject([{ id: 1 }])
  const restored = await ask('PATCH', 'feature_flags/beta/', { deleted: false })
  expect(restored).toMatchObject({ status: 400, body: { attr: 'filters.groups[0].properties[0]' } })
  await ask('PATCH', 'cohorts/2/', { deleted: false })
  expect((await ask('PATCH', 'feature_flags/beta/', { deleted: false })).status).toBe(200)
})

test('lets no circle arise through cohorts and flags', async () => {
  const { ask } = await openManagement()
  await ask('POST', 'cohorts/', cohort('One', pro))
  await ask('POST', 'feature_flags/', flagOn('a', inCohort(1)))
  const onA = { key: 'a', type: 'flag', value: true }
  const circle = await ask('PATCH', 'cohorts/1/', cohort('One', pro, onA))
  expect(circle).toMatchObject({ status: 400, body: { attr: 'filters.properties.values[1]' } })
  expect(circle.body.detail).toContain('cohort 1 ("One") → flag "a" → cohort 1 ("One")')
  expect((await ask('POST', 'cohorts/', cohort('Self', inCohort(2)))).body.detail).toContain('circle')
})

test('refuses cohorts that come to more conditions, together, than are evaluated', async () => {
  const { ask } = await openManagement()
  await ask('POST', 'cohorts/', cohort('1', pro))
  let last = 201
  for (let id = 2; id <= 20; id++)
    last = (await ask('POST', 'cohorts/', cohort(`${id}`, inCohort(id - 1), inCohort(id - 1)))).status
  expect(last).toBe(201)
  expect((await ask('POST', 'feature_flags/', flagOn('fine', inCohort(5)))).status).toBe(201)
  const answer = await ask('POST', 'feature_flags/', flagOn('huge', inCohort(20)))
  expect(answer).toMatchObject({ status: 400, body: { attr: 'filters' } })
  expect(answer.body.detail).toContain('more than 10000 conditions')
  const grown = await ask('PATCH', 'cohorts/5/', cohort('5', inCohort(4)))
  expect(grown.status).toBe(200)
})

test.each<[object, string | null, string]>([
  [{ filters: {} }, 'name', 'must be a text'],
  [{ name: 'x' }, 'filters', 'must be an object'],
  [{ name: 'x', filters: {} }, 'filters.properties', 'must be an object'],
  [{ name: 'x', is_static: true, filters: { properties: {} } }, 'is_static', 'made of conditions'],
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
])('refuses a cohort with 400 and names the place (%#)', async (body, attr, rule) => {
  const { ask } = await openManagement()
  const answer = await ask('POST', 'cohorts/', body)
  expect(answer).toMatchObject({ status: 400, body: { code: 'invalid_definition', attr } })
  expect(answer.body.detail).toContain(rule)
  expect((await ask('GET', 'cohorts/')).body.count).toBe(0)
})

test('takes a cohort of everybody, and nesting up to a bound', async () => {
  const { ask } = await openManagement()
  expect((await ask('POST', 'cohorts/', { name: 'All', filters: { properties: {} } })).status).toBe(201)
  const nestedIn = (levels: number): object => (levels === 0 ? pro : { type: 'AND', values: [nestedIn(levels - 1)] })
  const of = (levels: number) => ({ name: 'x', filters: { properties: nestedIn(levels) } })
  expect((await ask('POST', 'cohorts/', of(20))).status).toBe(201)
  expect((await ask('POST', 'cohorts/', of(21))).body.detail).toContain('more than 20 levels')
})
