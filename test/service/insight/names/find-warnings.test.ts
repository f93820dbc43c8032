import { describe, expect, test } from 'vitest'
import { createAnswerCache } from '../../../../src/service/insight/cache/answer-cache.ts'
import { findWarnings } from '../../../../src/service/insight/names/find-warnings.ts'
import { QueryError } from '../../../../src/service/indexer/query-error.ts'
import type { Ask } from '../../../../src/service/insight/question/questions.ts'
import type { JsonObject } from '../../../../src/wire/json.ts'
import { worldEvent } from '../../../contract/questions/world.ts'
import { openInsights } from '../../support/insights.ts'
import { filterContext } from '../filter-context.ts'

const NOW = Date.UTC(2026, 0, 15, 12)
const HOUR_MS = 3_600_000

const trends = (node: JsonObject, fields: JsonObject = {}): JsonObject => ({
  kind: 'TrendsQuery',
  series: [node],
  ...fields,
})
const BOUGHT = trends({ event: 'bought' })

/** A project with some events of one name, which a test changes. */
const openProject = () => {
  const asked: string[] = []
  const project = { total: 5, events: ['bought'], properties: ['plan'] }
  const answers: Readonly<Record<string, () => unknown>> = {
    countEvents: () => project.total,
    eventNames: () => project.events.map((name) => ({ name, count: 1, firstSeen: 0, lastSeen: 0 })),
    propertyNames: () => project.properties.map((name) => ({ name, type: 'text' })),
    events: () => ({ events: [], hasMore: false }),
  }
  const ask = ((name: string) => {
    asked.push(name)
    return Promise.resolve(answers[name]!())
  }) as unknown as Ask
  const cache = createAnswerCache(100_000)
  const find = (query: JsonObject, now = NOW, fields: object = {}) =>
    findWarnings({ query, context: filterContext({ now }), cache, ask, isForced: false, ...fields })
  const takeAsked = (): readonly string[] => asked.splice(0)
  return { project, find, takeAsked }
}

describe('findWarnings', () => {
  test('asks nothing for a query whose names are known', async () => {
    const { find, takeAsked } = openProject()
    const query = trends({ event: 'bought', properties: [{ key: 'plan', value: 'pro' }] })
    expect(await find(query)).toEqual([])
    expect(takeAsked()).toEqual(['countEvents', 'eventNames', 'countEvents', 'propertyNames'])
    expect(await find(query, NOW + 30 * HOUR_MS)).toEqual([])
    expect(await find(trends({}), NOW)).toEqual([])
    expect(takeAsked()).toEqual([])
  })

  test('looks for a missing name again only when events have arrived, and not within ten seconds', async () => {
    const { project, find, takeAsked } = openProject()
    const query = trends({ event: 'boguht' })
    const warnings = ['"query.series[0].event": the project never had an event "boguht"; the closest name is "bought".']
    expect(await find(query)).toEqual(warnings)
    takeAsked()
    project.total = 6
    project.events = ['boguht']
    expect(await find(query, NOW + 9_999)).toEqual(warnings)
    expect(takeAsked()).toEqual([])
    project.total = 5
    expect(await find(query, NOW + 60_000)).toEqual(warnings)
    expect(takeAsked()).toEqual(['countEvents'])
    project.total = 6
    expect(await find(query, NOW + 60_000)).toEqual([])
  })

  test('searches all events for a property that the newest do not have, unless there are too many', async () => {
    const { project, find, takeAsked } = openProject()
    const query = trends({ properties: [{ key: 'plann', value: 'pro' }] })
    const path = '"query.series[0].properties[0].key"'
    const end = 'a property "plann"; the closest name is "plan".'
    expect(await find(query)).toEqual([`${path}: no event of the project has ${end}`])
    expect(takeAsked()).toContain('events')
    project.total = 1_000_001
    expect(await find(query, NOW + HOUR_MS)).toEqual([`${path}: none of the newest events of the project has ${end}`])
    expect(takeAsked()).not.toContain('events')
  })

  test('tells what is known when nothing may be asked', async () => {
    const { find, takeAsked } = openProject()
    const query = trends({ event: 'boguht' })
    expect(await find(query, NOW, { ask: null })).toEqual([])
    const warnings = await find(query)
    takeAsked()
    expect(await find(query, NOW + HOUR_MS, { ask: null })).toEqual(warnings)
    expect(takeAsked()).toEqual([])
  })

  test('says nothing about names of which too many are listed, and when names cannot be read', async () => {
    const { project, find } = openProject()
    project.events = Array.from({ length: 10_000 }, (_, index) => `event ${index}`)
    expect(await find(trends({ event: 'rare' }))).toEqual([])
    const ask = () => Promise.reject(new QueryError('timeout', 'The query took too long.'))
    expect(await find(trends({ event: 'other' }), NOW, { ask, isForced: true })).toEqual([])
  })
})

/** A project whose newest events do not have all properties. */
const openShop = () => {
  const person = { properties: { email: 'ada@shop.example' }, createdAt: NOW }
  const old = worldEvent({ event: 'bought', timestamp: NOW - 2 * HOUR_MS, properties: { coupon: 'x' }, person })
  const events = Array.from({ length: 150 }, (_, index) =>
    worldEvent({ event: 'bought', timestamp: NOW - HOUR_MS + index, properties: { plan: 'pro' } }),
  )
  return openInsights([old, ...events], NOW)
}

test('warns about names that the project never had, in answers and in insights', async () => {
  const { ask, request } = await openShop()
  const warningsOf = async (query: JsonObject) => (await ask(query)).body.warnings
  expect(await warningsOf(BOUGHT)).toBe(undefined)
  // The newest events of this name do not have it.
  expect(await warningsOf(trends({ event: 'bought', properties: [{ key: 'coupon', value: 'x' }] }))).toBe(undefined)
  const known = [{ key: 'email', type: 'person', operator: 'is_set' }]
  expect(await warningsOf({ ...BOUGHT, properties: known })).toBe(undefined)
  const query = trends(
    { event: 'Bought', math: 'sum', math_property: 'price' },
    {
      breakdownFilter: { breakdown: 'plam', breakdown_type: 'event' },
      properties: { type: 'AND', values: [{ type: 'OR', values: [{ key: 'emial', type: 'person', value: 'x' }] }] },
    },
  )
  const expected = [
    '"query.series[0].event": the project never had an event "Bought"; the closest name is "bought".',
    '"query.series[0].math_property": no event of the project has a property "price".',
    '"query.breakdownFilter.breakdown": no event of the project has a property "plam"; the closest name is "plan".',
    '"query.properties.values[0].values[0].key": no person of the project has a property "emial"; the closest name is "email".',
  ]
  expect(await warningsOf(query)).toEqual(expected)
  const { body: insight } = await request('POST', 'insights/', { query })
  const read = async (refresh: string) => (await request('GET', `insights/${insight.id}/?refresh=${refresh}`)).body
  expect((await read('blocking')).warnings).toEqual(expected)
  expect(await read('force_cache')).toMatchObject({ is_cached: true, warnings: expected })
})

test('warns in every kind of question, by the path of the name', async () => {
  const { ask } = await openShop()
  const warningsOf = async (query: JsonObject) => (await ask(query)).body.warnings
  for (const [asked, path] of [
    [{ kind: 'FunnelsQuery', series: [{ event: 'bought' }, { event: 'gone' }] }, 'series[1].event'],
    [{ kind: 'RetentionQuery', retentionFilter: { targetEntity: { id: 'gone' } } }, 'retentionFilter.targetEntity.id'],
    [{ kind: 'StickinessQuery', series: [{ event: 'gone' }] }, 'series[0].event'],
    [{ kind: 'LifecycleQuery', series: [{ event: 'gone' }] }, 'series[0].event'],
    [{ kind: 'PathsQuery', pathsFilter: {}, properties: [{ key: 'gone', value: 1 }] }, 'properties[0].key'],
    [{ kind: 'EventsQuery', select: ['*'], event: 'gone' }, 'event'],
    [{ kind: 'ActorsQuery', properties: [{ key: 'gone', type: 'person', value: 1 }] }, 'properties[0].key'],
    [
      { kind: 'ActorsQuery', source: { kind: 'InsightActorsQuery', source: trends({ event: 'gone' }) } },
      'source.source.series[0].event',
    ],
  ] as const)
    expect([path, await warningsOf(asked as JsonObject)]).toEqual([path, [expect.stringContaining(`"query.${path}"`)]])
})

test('says of a project without events that it has none', async () => {
  const { ask } = await openInsights([], NOW)
  expect((await ask(trends({ event: 'bought', properties: [{ key: 'plan', value: 1 }] }))).body).toMatchObject({
    warnings: ['The project has no events yet.'],
  })
})
