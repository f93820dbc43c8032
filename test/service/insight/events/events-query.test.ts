import { describe, expect, test } from 'vitest'
import { derivePersonId } from '../../../../src/service/persons/person-id.ts'
import type { JsonObject } from '../../../../src/wire/json.ts'
import { worldEvent } from '../../../contract/questions/world.ts'
import { createInsightTestBed } from '../../support/insights.ts'

const HOUR_MS = 3_600_000
const NOW = Date.UTC(2026, 0, 15, 12)
const PERSON = { properties: { email: 'ada@x.example' }, createdAt: 1000 }

const event = (name: string, hoursAgo: number, distinctId = 'ada', properties: JsonObject = {}) =>
  worldEvent({
    event: name,
    distinctId,
    timestamp: NOW - hoursAgo * HOUR_MS,
    properties,
    person: distinctId === 'ada' ? PERSON : null,
  })

const EVENTS = [
  event('buy', 1, 'ada', { price: 10, $browser: 'Firefox' }),
  event('view', 2, 'bob'),
  event('view', 3),
  event('view', 30),
  event('late', -1),
]

const { ask: askQuery, expectRefusal } = createInsightTestBed(EVENTS, NOW)

const ask = (fields: JsonObject) => askQuery({ kind: 'EventsQuery', select: ['event'], ...fields })

const namesOf = async (fields: JsonObject): Promise<unknown> =>
  (await ask(fields)).results.map(([name]: [string]) => name)

describe('a query of events', () => {
  test('has the newest events of the last day', async () => {
    const body = await ask({})
    expect(body).toMatchObject({ columns: ['event'], limit: 100, offset: 0, hasMore: false, timezone: 'UTC' })
    expect(body.results).toEqual([['buy'], ['view'], ['view']])
  })

  test('has events as objects, with persons and properties', async () => {
    const select = ['*', 'person', 'timestamp', 'properties.$browser', 'person.properties.email', 'properties.none']
    const { results } = await ask({ select, event: 'buy' })
    expect(results).toEqual([
      [
        {
          uuid: EVENTS[0]!.uuid,
          event: 'buy',
          properties: { price: 10, $browser: 'Firefox' },
          timestamp: '2026-01-15T11:00:00.000Z',
          team_id: 1,
          distinct_id: 'ada',
          elements_chain: '',
          created_at: expect.stringMatching(/Z$/),
        },
        {
          uuid: derivePersonId(1, 'ada'),
          created_at: '1970-01-01T00:00:01.000Z',
          properties: PERSON.properties,
          distinct_id: 'ada',
        },
        '2026-01-15T11:00:00.000Z',
        'Firefox',
        'ada@x.example',
        null,
      ],
    ])
    const { results: ofBob } = await ask({ select: ['person', 'uuid', 'distinct_id'], event: 'view', limit: 1 })
    expect(ofBob).toEqual([[{ distinct_id: 'bob' }, EVENTS[1]!.uuid, 'bob']])
  })

  test('selects by time, name, person and filters', async () => {
    expect(await namesOf({ after: 'all' })).toEqual(['buy', 'view', 'view', 'view'])
    expect(await namesOf({ after: '-150M' })).toEqual(['buy', 'view'])
    expect(await namesOf({ before: '2026-01-15T10:30:00Z' })).toEqual(['view', 'view'])
    expect(await namesOf({ before: 'all', event: 'late' })).toEqual(['late'])
    expect(await namesOf({ personId: derivePersonId(1, 'bob') })).toEqual(['view'])
    expect(await namesOf({ personId: 'nobody' })).toEqual([])
    const properties = [{ key: 'price', type: 'event', operator: 'gt', value: 5 }]
    expect(await namesOf({ properties })).toEqual(['buy'])
    expect(await namesOf({ fixedProperties: properties })).toEqual(['buy'])
  })

  test('has an order, and pages', async () => {
    const select = ['timestamp']
    const { results, hasMore } = await ask({ select, orderBy: ['timestamp ASC'], limit: 1, offset: 1 })
    expect([results, hasMore]).toEqual([[['2026-01-15T10:00:00.000Z']], true])
    expect(await namesOf({ orderBy: ['event', 'timestamp desc'] })).toEqual(['buy', 'view', 'view'])
  })

  test.each<[string, JsonObject, string]>([
    ['no columns', { select: [] }, '"query.select" must be an array of 1 item or more'],
    ['an expression as a column', { select: ['event', 'count()'] }, 'query.select[1] must be one of *, event'],
    ['an unknown order', { orderBy: ['price'] }, 'query.orderBy[0] must be one of timestamp'],
    ['conditions in HogQL', { where: ["event = 'a'"] }, 'query.where must be null'],
    ['an action', { actionId: 3 }, 'query.actionId must be null'],
    ['a wrong time', { after: 'soon' }, 'query.after must be an ISO 8601 date'],
    ['too many events', { limit: 50_001 }, '"query.limit" must be'],
  ])('refuses %s', (_, fields, message) =>
    expectRefusal({ kind: 'EventsQuery', select: ['event'], ...fields }, message),
  )
})
