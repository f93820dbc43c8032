import { expect, test } from 'vitest'
import { MAX_WORK, COMPARISON_WORK } from '../../../src/evaluate/work-budget.ts'
import { setFlags } from '../../../src/service/flags/definitions/change-flags.ts'
import { MAX_COMPARISONS, MAX_PROJECT_COMPARISONS } from '../../../src/service/flags/definitions/check-comparisons.ts'
import { saveFlags } from '../../../src/service/store/metadata/flags.ts'
import { openManagement } from '../support/management.ts'

const contains = (count: number): object => ({
  key: 'email',
  operator: 'icontains_multi',
  value: Array.from({ length: count }, (_, index) => `@${index}.example`),
})
const flag = (key: string, ...properties: object[]): object => ({ key, filters: { groups: [{ properties }] } })
const inCohort = (id: number): object => ({ key: 'id', type: 'cohort', value: id })
const cohort = (...values: object[]): object => ({ name: 'A', filters: { properties: { type: 'OR', values } } })

test('refuses a flag or cohort that may need too many comparisons, with those of cohorts each time', async () => {
  const { request } = await openManagement()
  const create = async (path: string, body: object) => await request('POST', `${path}/`, body)
  const refused = await create('feature_flags', flag('a', contains(MAX_COMPARISONS), { key: 'a', value: 1 }))
  expect(refused).toMatchObject({ status: 400, body: { code: 'invalid_definition', attr: 'filters' } })
  expect(refused.body.detail).toContain(
    'may need 20001 comparisons to evaluate; the maximum is 20000. Compare with a list',
  )
  expect(await create('cohorts', cohort(contains(MAX_COMPARISONS + 1)))).toMatchObject({ status: 400 })
  expect((await create('cohorts', cohort(contains(15_000)))).status).toBe(201)
  expect((await create('feature_flags', flag('a', inCohort(1)))).status).toBe(201)
  expect((await create('feature_flags', flag('b', inCohort(1), inCohort(1)))).status).toBe(400)
  // The cohort alone may grow, the flag that names it may not.
  expect((await request('PATCH', 'feature_flags/a/', flag('a', inCohort(1), contains(5000)))).status).toBe(200)
  const grown = await request('PATCH', 'cohorts/1/', cohort(contains(15_001)))
  expect(grown).toMatchObject({ status: 400, body: { attr: null } })
  expect(grown.body.detail).toContain('In flag "a": filters may need 20001 comparisons')
})

test('takes lists of thousands of e-mail addresses, and thousands of conditions', async () => {
  const { request } = await openManagement()
  const emails = Array.from({ length: 10_000 }, (_, index) => `person-${index}@shop.example`)
  const properties = [{ key: 'email', operator: 'exact', value: emails }]
  expect((await request('POST', 'feature_flags/', flag('list', ...properties))).status).toBe(201)
  const filters = { groups: emails.slice(0, 4000).map((value) => ({ properties: [{ key: 'email', value }] })) }
  expect((await request('POST', 'feature_flags/', { key: 'many', filters })).status).toBe(201)
})

test('refuses the flag with which all flags of a project need too many comparisons', async () => {
  const { request } = await openManagement()
  const create = (key: string, count: number, active = true) =>
    request('POST', 'feature_flags/', { ...flag(key, contains(count)), active })
  for (const key of ['a', 'b', 'c', 'd']) expect((await create(key, MAX_COMPARISONS)).status).toBe(201)
  // Off, so that it can be turned on at any time.
  expect((await create('e', MAX_COMPARISONS - 1, false)).status).toBe(201)
  const refused = await create('f', 2)
  expect(refused).toMatchObject({ status: 400, body: { attr: 'filters' } })
  expect(refused.body.detail).toContain(
    'would bring all flags of the project to 100001 comparisons; the maximum is 100000',
  )
  expect((await create('f', 1)).status).toBe(201)
  expect((await request('PATCH', 'feature_flags/e/', { active: true })).status).toBe(200)
  expect((await request('DELETE', 'feature_flags/a/')).status).toBe(204)
  expect((await create('g', MAX_COMPARISONS)).status).toBe(201)
})

test('keeps stored flags above the limits usable, and takes changes that do not grow them', async () => {
  const { request, decide, metadata, project } = await openManagement()
  const old = (key: string, count = MAX_COMPARISONS + 5) => ({ ...flag(key, contains(count)), active: true }) as never
  await saveFlags(
    metadata,
    project.id,
    ['a', 'b', 'c', 'd', 'e', 'f'].map((key) => old(key)),
    0,
  )
  const { body } = await request('GET', 'feature_flags/a/')
  for (const change of [body, { name: 'A' }, { active: false }, old('a', MAX_COMPARISONS + 4), { key: 'renamed' }])
    expect((await request('PATCH', 'feature_flags/1/', change)).status).toBe(200)
  expect(await request('PATCH', 'feature_flags/1/', old('renamed'))).toMatchObject({ status: 400 })
  expect(await request('POST', 'feature_flags/', flag('new', { key: 'a', value: 1 }))).toMatchObject({ status: 400 })
  expect((await request('POST', 'feature_flags/', flag('plain'))).status).toBe(201)
  expect(await decide('u', { person_properties: { email: 'x@7.example' } })).toMatchObject({
    b: true,
    f: true,
    plain: true,
  })
  expect(await setFlags(metadata, project.id, [old('b'), old('c')], 1)).toEqual(['b', 'c'])
  await expect(setFlags(metadata, project.id, old('b', MAX_COMPARISONS + 6), 1)).rejects.toThrow(
    'Flag "b": filters may need',
  )
})

test('allows a project no more comparisons than half of the work of a request', () => {
  expect(MAX_PROJECT_COMPARISONS * COMPARISON_WORK).toBeLessThan(MAX_WORK / 2)
})
