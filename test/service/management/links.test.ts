import { expect, test } from 'vitest'
import { openManagement } from '../support/management.ts'

const flag = (key: string, more: object = {}) => ({ key, filters: { groups: [{}] }, ...more })
const onFlag = (key: string, value: unknown = true) => ({ key, type: 'flag', operator: 'flag_evaluates_to', value })
const onCohort = (id: number) => ({ key: 'id', type: 'cohort', operator: 'in', value: id })
const filtered = (key: string, ...properties: object[]) => ({ key, filters: { groups: [{ properties }] } })

test.each<[object, string | null, string]>([
  [
    flag('f', { filters: { groups: [{ aggregation_group_type_index: 0 }] } }),
    'filters.groups[0].aggregation_group_type_index',
    'which group type 0 is',
  ],
  [filtered('f', { ...onCohort(7) }), 'filters.groups[0].properties[0]', 'cohort 7, which does not exist'],
  [filtered('f', onFlag('g')), 'filters.groups[0].properties[0]', 'flag "g", which does not exist'],
  [filtered('f', onFlag('f')), 'filters.groups[0].properties[0]', 'leads round in a circle: flag "f" → flag "f"'],
])('refuses a flag that refers to what is not there, or to itself (%#)', async (body, attr, rule) => {
  const { ask } = await openManagement()
  const answer = await ask('POST', 'feature_flags/', body)
  expect(answer).toMatchObject({ status: 400, body: { type: 'validation_error', code: 'invalid_definition', attr } })
  expect(answer.body.detail).toContain(rule)
  expect((await ask('GET', 'feature_flags/')).body.count).toBe(0)
})

test('keeps flags that depend on each other together, and never lets a circle arise', async () => {
  const { ask } = await openManagement()
  await ask('POST', 'feature_flags/', flag('base'))
  await ask('POST', 'feature_flags/', filtered('middle', onFlag('base')))
  expect((await ask('POST', 'feature_flags/', filtered('top', onFlag('middle')))).status).toBe(201)
  for (const change of [
    () => ask('DELETE', 'feature_flags/base/'),
    () => ask('PATCH', 'feature_flags/base/', { deleted: true }),
    () => ask('PATCH', 'feature_flags/base/', { key: 'other' }),
  ]) {
    const answer = await change()
    expect(answer).toMatchObject({ status: 409, body: { code: 'in_use' } })
    expect(answer.body.detail).toContain('flag "middle" still refers to flag "base"')
  }
  const circle = await ask('PATCH', 'feature_flags/base/', { filters: filtered('base', onFlag('top')).filters })
  expect(circle).toMatchObject({ status: 400, body: { attr: 'filters.groups[0].properties[0]' } })
  expect(circle.body.detail).toContain('flag "base" → flag "top" → flag "middle" → flag "base"')
  await ask('PATCH', 'feature_flags/middle/', flag('middle'))
  expect((await ask('DELETE', 'feature_flags/base/')).status).toBe(204)
})

test('refuses more flags in a row than may depend on each other, wherever the row grows', async () => {
  const { ask } = await openManagement()
  await ask('POST', 'feature_flags/', flag('f1'))
  for (let index = 2; index <= 50; index++)
    expect((await ask('POST', 'feature_flags/', filtered(`f${index}`, onFlag(`f${index - 1}`)))).status).toBe(201)
  expect((await ask('POST', 'feature_flags/', filtered('f51', onFlag('f50')))).body.detail).toContain('more than 50')
  await ask('POST', 'feature_flags/', flag('f0'))
  expect((await ask('PATCH', 'feature_flags/f1/', filtered('f1', onFlag('f0')))).body.detail).toContain('more than 50')
})
