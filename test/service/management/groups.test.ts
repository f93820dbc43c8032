import { describe, expect, test } from 'vitest'
import { saveGroups } from '../../../src/service/store/metadata/groups.ts'
import type { JsonObject } from '../../../src/wire/json.ts'
import { GROUP_CREATED_AT, worldEvent } from '../../contract/questions/world.ts'
import { openInsights } from '../support/insights.ts'

const NOW = Date.UTC(2026, 0, 15, 12)

const ofGroup = (type: string, key: string, properties: JsonObject) =>
  worldEvent({ timestamp: NOW, groups: { [type]: key }, groupProperties: { [type]: properties } })

const EVENTS = [
  ofGroup('company', 'acme', { name: 'Acme Inc.', seats: 5 }),
  ofGroup('company', 'beta', { email: 'hello@beta.example' }),
  ofGroup('team', 'acme', {}),
]

/** The groups are in both stores, as the indexer writes them. */
const open = async () => {
  const service = await openInsights(EVENTS, NOW)
  const { metadata, project, request } = service
  const groups = EVENTS.flatMap(({ groups: keys, groupProperties }) =>
    Object.entries(keys).map(([type, key]) => ({
      type,
      key,
      properties: groupProperties[type]!,
      createdAt: GROUP_CREATED_AT,
    })),
  )
  await saveGroups(metadata, project.id, groups)
  for (const group_type of ['company', 'team', 'empty']) await request('POST', 'groups_types/', { group_type })
  const keys = async (query: string) => {
    const { status, body } = await request('GET', `groups/?${encodeURI(query)}`)
    expect({ status, body }).toMatchObject({ status: 200 })
    return body.results.map(({ group_key }: JsonObject) => group_key)
  }
  return { ...service, keys }
}

const ACME = {
  group_type_index: 0,
  group_key: 'acme',
  group_properties: { name: 'Acme Inc.', seats: 5 },
  created_at: '1970-01-01T00:00:00.001Z',
}

describe('the groups of a project', () => {
  test('are listed by their type', async () => {
    const { request, keys } = await open()
    expect((await request('GET', 'groups/?group_type_index=0')).body).toMatchObject({
      next: null,
      previous: null,
      results: [ACME, { group_key: 'beta' }],
    })
    expect(await keys('group_type_index=1')).toEqual(['acme'])
    expect(await keys('group_type_index=2')).toEqual([])
  })

  test('are searched, and come in pages', async () => {
    const { request, keys } = await open()
    expect(await keys('group_type_index=0&search=INC')).toEqual(['acme'])
    expect(await keys('group_type_index=0&search=hello@')).toEqual(['beta'])
    expect(await keys('group_type_index=0&search=nothing')).toEqual([])
    expect((await request('GET', 'groups/?group_type_index=0&limit=1')).body).toMatchObject({
      next: expect.stringContaining('group_type_index=0&limit=1&offset=1'),
      results: [{ group_key: 'acme' }],
    })
  })

  test('are found by their keys', async () => {
    const { request } = await open()
    const find = (query: string) => request('GET', `groups/find/?${query}`)
    expect(await find('group_type_index=0&group_key=acme')).toMatchObject({ status: 200, body: ACME })
    expect((await find('group_type_index=1&group_key=acme')).body).toMatchObject({ group_properties: {} })
    expect(await find('group_type_index=0&group_key=Acme')).toMatchObject({ status: 404 })
  })

  test('are not read with a parameter that names none', async () => {
    const { request } = await open()
    for (const [path, attr, detail] of [
      ['groups/', 'group_type_index', '"group_type_index" is missing'],
      ['groups/?group_type_index=9', 'group_type_index', 'must be the index of a group type of this project'],
      ['groups/?group_type_index=company', 'group_type_index', '"group_type_index" must be an integer'],
      ['groups/?group_type_index=-1', 'group_type_index', '"group_type_index" must be 0 or more'],
      ['groups/find/?group_type_index=0', 'group_key', '"group_key" is missing'],
      ['groups/find/?group_type_index=0&group_key=', 'group_key', '"group_key" must'],
      ['groups/find/?group_type_index=9&group_key=acme', 'group_type_index', 'must be the index of a group type'],
    ])
      expect(await request('GET', path!)).toMatchObject({
        status: 400,
        body: { attr, detail: expect.stringContaining(detail!) },
      })
  })
})
