import { describe, expect, test } from 'vitest'
import type { JsonObject } from '../../../src/wire/json.ts'
import { worldEvent } from '../../contract/questions/world.ts'
import { openInsights } from '../support/insights.ts'

const DAY_MS = 86_400_000
const NOW = Date.UTC(2026, 0, 15, 12)

const event = (name: string, daysAgo: number, properties: JsonObject = {}) =>
  worldEvent({
    event: name,
    timestamp: NOW - daysAgo * DAY_MS,
    properties,
    person: { properties: { email: 'ada@shop.example', age: 36 }, createdAt: NOW },
    groups: { company: 'acme' },
    groupProperties: { company: { seats: 5 } },
  })

const open = () =>
  openInsights(
    [
      event('view', 2, {
        url: '/',
        at: '2026-01-02T03:04:05Z',
        price: 1,
        mixed: 1,
        isNew: true,
        list: [1],
        none: null,
      }),
      event('view', 1, { url: '/pay', at: '2026-01-02 03:04', price: 2.5, mixed: 'a', "it's": '"' }),
      event('Buy', 0, { price: 3, at: '2026-01-02T03:04:05Z' }),
    ],
    NOW,
  )

test.each(['event_names=["view"]', 'filter_by_event_names=true', 'is_numerical=true'])(
  'the definitions of properties refuse %s, which would be ignored',
  async (condition) => {
    const { request } = await open()
    const { status, body } = await request('GET', `property_definitions/?${condition}`)
    expect([status, body.attr]).toEqual([400, condition.split('=')[0]])
    expect((await request('GET', 'property_definitions/?event_names=&filter_by_event_names=false')).status).toBe(200)
  },
)

describe('the definitions of events', () => {
  test('are the names, most frequent first, with their number and times', async () => {
    const { request } = await open()
    const { status, body } = await request('GET', 'event_definitions/')
    expect([status, body.count, body.next]).toEqual([200, 2, null])
    expect(body.results).toEqual([
      {
        id: expect.stringMatching(/^[\da-f-]{36}$/),
        name: 'view',
        volume: 2,
        created_at: '2026-01-13T12:00:00.000Z',
        last_seen_at: '2026-01-14T12:00:00.000Z',
      },
      expect.objectContaining({ name: 'Buy', volume: 1 }),
    ])
    expect((await request('GET', 'event_definitions/')).body).toEqual(body)
  })

  test('are searched, and come in pages', async () => {
    const { request } = await open()
    expect((await request('GET', 'event_definitions/?search=BU')).body.results).toMatchObject([{ name: 'Buy' }])
    const { body } = await request('GET', 'event_definitions/?limit=1')
    expect([body.count, body.results.length, body.next]).toEqual([2, 1, expect.stringContaining('offset=1')])
  })
})

describe('the definitions of properties', () => {
  test('have the types of the values', async () => {
    const { request } = await open()
    const { body } = await request('GET', 'property_definitions/')
    expect(
      Object.fromEntries(body.results.map(({ name, property_type }: JsonObject) => [name, property_type])),
    ).toEqual({
      at: 'DateTime',
      price: 'Numeric',
      url: 'String',
      $groups: null,
      isNew: 'Boolean',
      list: null,
      mixed: null,
      "it's": 'String',
    })
    expect(body.results.slice(0, 3).map(({ name }: JsonObject) => name)).toEqual(['$groups', 'at', 'price'])
    expect(body.results[2]).toMatchObject({ is_numerical: true })
  })

  test('are those of persons and groups, too', async () => {
    const { request, send } = await open()
    const names = async (query: string) =>
      (await request('GET', `property_definitions/?${query}`)).body.results.map(({ name }: JsonObject) => name)
    expect(await names('type=person')).toEqual(['age', 'email'])
    expect(await names('type=person&search=MAI')).toEqual(['email'])
    expect(await request('GET', 'property_definitions/?type=group')).toMatchObject({
      status: 400,
      body: { attr: 'group_type_index' },
    })
    await send('POST', '/api/environments/@current/groups_types/', { group_type: 'company' })
    expect(await names('type=group&group_type_index=0')).toEqual(['seats'])
  })

  test('of a project without events are none', async () => {
    const { request } = await openInsights([], NOW)
    expect((await request('GET', 'event_definitions/')).body).toMatchObject({ count: 0, results: [] })
    expect((await request('GET', 'property_definitions/')).body).toMatchObject({ count: 0, results: [] })
  })
})
