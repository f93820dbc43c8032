import { describe, expect, test } from 'vitest'
import { LEVELS } from '../../../src/service/permission/levels.ts'
import type { EventStore } from '../../../src/service/store/events/event-store.ts'
import type { JsonObject } from '../../../src/wire/json.ts'
import { storeWorld, worldEvent } from '../../contract/questions/world.ts'
import { openInsights } from '../support/insights.ts'

const MINUTE_MS = 60_000
const DAY_MS = 86_400_000
const NOW = Date.UTC(2026, 0, 15, 12)

const ADA = { properties: { email: 'ada@shop.example' }, createdAt: NOW - 9 * DAY_MS }

const event = (name: string, msAgo: number, properties: JsonObject = {}, distinctId = 'ada') =>
  worldEvent({
    event: name,
    distinctId,
    timestamp: NOW - msAgo,
    properties: { n: name, ...properties },
    person: distinctId === 'ada' ? ADA : null,
  })

const EVENTS = [
  event('old', 9 * DAY_MS, { plan: 'pro' }),
  event('view', 3 * MINUTE_MS, { plan: 'pro', $elements_chain: 'a:href="/"' }),
  event('view', 2 * MINUTE_MS, { plan: 'free' }, 'Bob'),
  event('buy', MINUTE_MS, { plan: 'pro' }),
  event('buy', MINUTE_MS, { plan: 'free' }, 'bob'),
  event('too early', -DAY_MS),
]

const open = async () => {
  const service = await openInsights(EVENTS, NOW)
  const list = async (query: string) => {
    const { status, body } = await service.request('GET', `events/?${query}`)
    expect({ status, body }).toMatchObject({ status: 200 })
    return body
  }
  const ids = async (query: string) => (await list(query)).results.map(({ id }: JsonObject) => id)
  return { ...service, list, ids }
}

const storeMore = (store: EventStore) => storeWorld(store, [event('late', 0)])

const uuid = (index: number): string => EVENTS[index]!.uuid

/** Newest first; of the same time, the highest uuid first. */
const SORTED = [4, 3, 2, 1, 0].map(uuid)

describe('the events of a project', () => {
  test('are listed with their persons, the newest first', async () => {
    const { list, ids } = await open()
    expect(await ids('')).toEqual(SORTED)
    const { results, next, previous } = await list('event=view&distinct_id=ada')
    expect([next, previous]).toEqual([null, null])
    expect(results).toEqual([
      {
        id: uuid(1),
        event: 'view',
        distinct_id: 'ada',
        properties: { n: 'view', plan: 'pro', $elements_chain: 'a:href="/"' },
        timestamp: '2026-01-15T11:57:00.000Z',
        created_at: expect.stringMatching(/Z$/),
        person: {
          id: EVENTS[1]!.personId,
          uuid: EVENTS[1]!.personId,
          name: 'ada@shop.example',
          distinct_ids: ['ada'],
          properties: { email: 'ada@shop.example' },
          is_identified: true,
          created_at: '2026-01-06T12:00:00.000Z',
        },
        elements_chain: 'a:href="/"',
      },
    ])
    expect((await list('distinct_id=bob')).results).toMatchObject([{ id: uuid(4), person: null, elements_chain: '' }])
  })

  test('are selected by their fields, times and persons', async () => {
    const { ids } = await open()
    const expected: readonly (readonly [string, readonly number[]])[] = [
      ['event=buy', [4, 3]],
      ['event=Buy', []],
      ['event=', [4, 3, 2, 1, 0]],
      ['distinct_id=Bob', [2]],
      ['distinct_id=nobody', []],
      [`person_id=${EVENTS[0]!.personId}`, [3, 1, 0]],
      [`person_id=${EVENTS[0]!.personId.toUpperCase()}&event=old`, [0]],
      ['person_id=nobody', []],
      ['properties=[{"key":"plan","value":"free"}]', [4, 2]],
      ['properties={"type":"OR","values":[{"key":"n","value":"old"},{"key":"plan","value":"free"}]}', [4, 2, 0]],
      ['properties=[{"key":"email","value":"ADA@shop.example","type":"person"}]&event=buy', [3]],
      ['properties=', [4, 3, 2, 1, 0]],
      ['after=-24h', [4, 3, 2, 1]],
      ['after=2026-01-15T11:58:00Z', [4, 3, 2]],
      ['before=2026-01-15T11:58:00Z', [1, 0]],
      ['before=all&limit=1&event=too early', [5]],
      ['limit=2&offset=1', [3, 2]],
    ]
    for (const [query, indexes] of expected)
      expect([query, await ids(encodeURI(query))]).toEqual([query, indexes.map(uuid)])
  })

  test.each([1, 2, 3, 4])('come in pages of %i, each of them once, also when others arrive', async (limit) => {
    const { request, project, store } = await open()
    const found: unknown[] = []
    let path = `events/?limit=${limit}&after=-30d`
    for (let page = 0; path !== ''; page++) {
      const { body } = await request('GET', path)
      found.push(...body.results.map(({ id }: JsonObject) => id))
      if (page === 0) await storeMore(store)
      path = body.next === null ? '' : body.next.split(`/${project.id}/`)[1]
    }
    expect(found).toEqual(SORTED)
  })

  test('are read one by one', async () => {
    const { list, request } = await open()
    const { results } = await list('event=old')
    expect(await request('GET', `events/${uuid(0)}/`)).toMatchObject({ status: 200, body: results[0] })
    expect(await request('GET', `events/${uuid(5)}/`)).toMatchObject({ status: 200, body: { event: 'too early' } })
    for (const id of ['0190a3c4-7d2f-4b1e-9a57-3f1f0c2d9e10', 'x', "'", '1'])
      expect(await request('GET', `events/${id}/`)).toMatchObject({ status: 404, body: { code: 'not_found' } })
  })

  test('are not listed with a parameter that cannot be applied', async () => {
    const { request } = await open()
    for (const [query, attr, detail] of [
      ['properties=x', 'properties', '"properties" must be JSON.'],
      ['properties="x"', 'properties', '"properties" must be an object.'],
      ['properties=[{"key":"a"}]', 'properties[0].value', '"properties[0].value" is missing.'],
      [
        'properties=[{"key":"a","value":1,"operator":"near"}]',
        'properties[0].operator',
        '"properties[0].operator" must be',
      ],
      ['properties=[{"type":"cohort","value":7}]', 'properties[0].value', 'cohort 7, which does not exist'],
      ['after=soon', 'after', '"after" must be an ISO 8601 date'],
      ['before=2026-13-01', 'before', '"before" must be an ISO 8601 date'],
      ['limit=0', 'limit', '"limit" must be 1 or more.'],
      ['offset=-1', 'offset', '"offset" must be 0 or more.'],
    ])
      expect(await request('GET', `events/?${encodeURI(query!)}`)).toMatchObject({
        status: 400,
        body: { type: 'validation_error', attr, detail: expect.stringContaining(detail!) },
      })
  })

  test('are read by keys that may read queries', async () => {
    const { addUser, project } = await open()
    const { send } = await addUser('ann@shop.example', LEVELS.member, { scopes: ['person:read'] })
    expect(await send('GET', `/api/projects/${project.id}/events/`)).toMatchObject({
      status: 403,
      body: { detail: expect.stringContaining('"query:read"') },
    })
  })
})
