import { expect, test } from 'vitest'
import { openManagement } from '../support/management.ts'

test('gives a group type the lowest free index and serves flags for it', async () => {
  const { request, decide } = await openManagement()
  for (const [index, group_type] of ['company', 'team'].entries())
    expect(await request('POST', 'groups_types/', { group_type })).toMatchObject({
      status: 201,
      body: { group_type, group_type_index: index },
    })
  expect((await request('DELETE', 'groups_types/0/')).status).toBe(204)
  expect((await request('GET', 'groups_types/0/')).status).toBe(404)
  expect((await request('POST', 'groups_types/', { group_type: 'shop' })).body.group_type_index).toBe(0)
  expect((await request('GET', 'groups_types/')).body.results).toEqual([
    { group_type: 'shop', group_type_index: 0 },
    { group_type: 'team', group_type_index: 1 },
  ])
  expect((await request('GET', 'groups_types/1/')).body).toEqual({ group_type: 'team', group_type_index: 1 })
  const filters = { groups: [{}], aggregation_group_type_index: 1 }
  await request('POST', 'feature_flags/', { key: 'paid', filters })
  expect(await decide('u', { groups: { team: 'a' } })).toEqual({ paid: true })
})

test('rejects removing a group type that a flag or a condition uses', async () => {
  const { request } = await openManagement()
  for (const group_type of ['company', 'team']) await request('POST', 'groups_types/', { group_type })
  await request('POST', 'feature_flags/', { key: 'one', filters: { groups: [], aggregation_group_type_index: 0 } })
  await request('POST', 'feature_flags/', { key: 'two', filters: { groups: [{ aggregation_group_type_index: 1 }] } })
  for (const [index, key, type] of [
    [0, 'one', 'company'],
    [1, 'two', 'team'],
  ] as const) {
    const response = await request('DELETE', `groups_types/${index}/`)
    expect(response).toMatchObject({ status: 409, body: { code: 'in_use' } })
    expect(response.body.detail).toContain(`flag "${key}" still uses group type ${index} ("${type}")`)
  }
  await request('DELETE', 'feature_flags/one/')
  expect((await request('DELETE', 'groups_types/0/')).status).toBe(204)
})

test('accepts up to fifty group types, each once', async () => {
  const { request } = await openManagement()
  const post = (group_type: unknown) => request('POST', 'groups_types/', { group_type })
  for (const invalidType of [undefined, 5, '', '  ', 'x'.repeat(401)])
    expect(await post(invalidType)).toMatchObject({
      status: 400,
      body: { code: 'invalid_definition', attr: 'group_type' },
    })
  for (let n = 0; n < 50; n++) expect((await post(`type ${n}`)).status).toBe(201)
  expect(await post('type 7')).toMatchObject({ status: 400, body: { code: 'unique', attr: 'group_type' } })
  expect((await post('one more')).body.detail).toContain('the maximum of 50 group types')
  expect((await request('GET', 'groups_types/')).body.count).toBe(50)
})

test('changes group types only for keys with the scope to write flags', async () => {
  const { request, metadata } = await openManagement()
  await request('POST', 'groups_types/', { group_type: 'company' })
  await metadata.updateTable('personal_api_keys').set({ scopes: '["feature_flag:read"]' }).execute()
  for (const rejection of [
    await request('POST', 'groups_types/', { group_type: 'a' }),
    await request('DELETE', 'groups_types/0/'),
  ])
    expect(rejection).toMatchObject({ status: 403, body: { code: 'permission_denied' } })
  expect((await request('GET', 'groups_types/')).body.count).toBe(1)
})
