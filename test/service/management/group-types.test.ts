import { expect, test } from 'vitest'
import { openManagement } from '../support/management.ts'

test('gives a group type the lowest free index, lists it, and serves flags for it', async () => {
  const { ask, decide } = await openManagement()
  for (const [index, group_type] of ['company', 'team'].entries())
    expect(await ask('POST', 'groups_types/', { group_type })).toMatchObject({
      status: 201,
      body: { group_type, group_type_index: index },
    })
  expect((await ask('DELETE', 'groups_types/0/')).status).toBe(204)
  expect((await ask('GET', 'groups_types/0/')).status).toBe(404)
  expect((await ask('POST', 'groups_types/', { group_type: 'shop' })).body.group_type_index).toBe(0)
  expect((await ask('GET', 'groups_types/')).body.results).toEqual([
    { group_type: 'shop', group_type_index: 0 },
    { group_type: 'team', group_type_index: 1 },
  ])
  expect((await ask('GET', 'groups_types/1/')).body).toEqual({ group_type: 'team', group_type_index: 1 })
  const filters = { groups: [{}], aggregation_group_type_index: 1 }
  await ask('POST', 'feature_flags/', { key: 'paid', filters })
  expect(await decide('u', { groups: { team: 'a' } })).toEqual({ paid: true })
})

test('keeps a group type that a flag, or one of its conditions, is for', async () => {
  const { ask } = await openManagement()
  for (const group_type of ['company', 'team']) await ask('POST', 'groups_types/', { group_type })
  await ask('POST', 'feature_flags/', { key: 'one', filters: { groups: [], aggregation_group_type_index: 0 } })
  await ask('POST', 'feature_flags/', { key: 'two', filters: { groups: [{ aggregation_group_type_index: 1 }] } })
  for (const [index, key, type] of [
    [0, 'one', 'company'],
    [1, 'two', 'team'],
  ] as const) {
    const answer = await ask('DELETE', `groups_types/${index}/`)
    expect(answer).toMatchObject({ status: 409, body: { code: 'in_use' } })
    expect(answer.body.detail).toContain(`flag "${key}" is still for groups of type ${index} ("${type}")`)
  }
  await ask('DELETE', 'feature_flags/one/')
  expect((await ask('DELETE', 'groups_types/0/')).status).toBe(204)
})

test('takes new group types up to fifty, each once', async () => {
  const { ask } = await openManagement()
  const post = (group_type: unknown) => ask('POST', 'groups_types/', { group_type })
  for (const wrong of [undefined, 5, '', '  ', 'x'.repeat(401)])
    expect(await post(wrong)).toMatchObject({ status: 400, body: { code: 'invalid_definition', attr: 'group_type' } })
  for (let n = 0; n < 50; n++) expect((await post(`type ${n}`)).status).toBe(201)
  expect(await post('type 7')).toMatchObject({ status: 400, body: { code: 'unique', attr: 'group_type' } })
  expect((await post('one more')).body.detail).toContain('the 50 that a project may have')
  expect((await ask('GET', 'groups_types/')).body.count).toBe(50)
})

test('changes group types only for a key that may write flags', async () => {
  const { ask, metadata } = await openManagement()
  await ask('POST', 'groups_types/', { group_type: 'company' })
  await metadata.updateTable('personal_api_keys').set({ scopes: '["feature_flag:read"]' }).execute()
  for (const refused of [
    await ask('POST', 'groups_types/', { group_type: 'a' }),
    await ask('DELETE', 'groups_types/0/'),
  ])
    expect(refused).toMatchObject({ status: 403, body: { code: 'permission_denied' } })
  expect((await ask('GET', 'groups_types/')).body.count).toBe(1)
})
