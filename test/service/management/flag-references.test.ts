import { expect, test } from 'vitest'
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

test.each<[object, string | null, string]>([
  [
    flag('f', { filters: { groups: [{ aggregation_group_type_index: 0 }] } }),
    'filters.groups[0].aggregation_group_type_index',
    'has no group type 0',
  ],
  [
    flagWithConditions('f', { ...cohortCondition(7) }),
    'filters.groups[0].properties[0]',
    'cohort 7, which does not exist',
  ],
  [flagWithConditions('f', flagCondition('g')), 'filters.groups[0].properties[0]', 'flag "g", which does not exist'],
  [
    flagWithConditions('f', flagCondition('f')),
    'filters.groups[0].properties[0]',
    'makes a dependency cycle: flag "f" → flag "f"',
  ],
])('rejects a flag that refers to a missing definition or to itself (%#)', async (body, attr, expectedDetail) => {
  const { request } = await openManagement()
  const response = await request('POST', 'feature_flags/', body)
  expect(response).toMatchObject({ status: 400, body: { type: 'validation_error', code: 'invalid_definition', attr } })
  expect(response.body.detail).toContain(expectedDetail)
  expect((await request('GET', 'feature_flags/')).body.count).toBe(0)
})

test('rejects removing a flag in use and creating a dependency cycle', async () => {
  const { request } = await openManagement()
  await request('POST', 'feature_flags/', flag('base'))
  await request('POST', 'feature_flags/', flagWithConditions('middle', flagCondition('base')))
  expect((await request('POST', 'feature_flags/', flagWithConditions('top', flagCondition('middle')))).status).toBe(201)
  for (const change of [
    () => request('DELETE', 'feature_flags/base/'),
    () => request('PATCH', 'feature_flags/base/', { deleted: true }),
    () => request('PATCH', 'feature_flags/base/', { key: 'other' }),
  ]) {
    const response = await change()
    expect(response).toMatchObject({ status: 409, body: { code: 'in_use' } })
    expect(response.body.detail).toContain('flag "middle" still refers to flag "base"')
  }
  const cycle = await request('PATCH', 'feature_flags/base/', {
    filters: flagWithConditions('base', flagCondition('top')).filters,
  })
  expect(cycle).toMatchObject({ status: 400, body: { attr: 'filters.groups[0].properties[0]' } })
  expect(cycle.body.detail).toContain('flag "base" → flag "top" → flag "middle" → flag "base"')
  await request('PATCH', 'feature_flags/middle/', flag('middle'))
  expect((await request('DELETE', 'feature_flags/base/')).status).toBe(204)
})

test('limits dependency chains to 50 flags, also when the far end grows', async () => {
  const { request } = await openManagement()
  await request('POST', 'feature_flags/', flag('f1'))
  for (let index = 2; index <= 50; index++)
    expect(
      (await request('POST', 'feature_flags/', flagWithConditions(`f${index}`, flagCondition(`f${index - 1}`)))).status,
    ).toBe(201)
  expect(
    (await request('POST', 'feature_flags/', flagWithConditions('f51', flagCondition('f50')))).body.detail,
  ).toContain('more than 50')
  await request('POST', 'feature_flags/', flag('f0'))
  expect(
    (await request('PATCH', 'feature_flags/f1/', flagWithConditions('f1', flagCondition('f0')))).body.detail,
  ).toContain('more than 50')
})
