import { describe, expect, test } from 'vitest'
import { derivePersonId } from '../../../../src/service/persons/person-id.ts'
import type { JsonObject } from '../../../../src/wire/json.ts'
import { worldEvent } from '../../../contract/questions/world.ts'
import { createInsightTestBed } from '../../support/insights.ts'

const DAY_MS = 86_400_000
const HOUR_MS = 3_600_000
/** A Thursday. */
const NOW = Date.UTC(2026, 0, 15, 12)
const TODAY = Date.UTC(2026, 0, 15)

const PERSONS: Readonly<Record<string, JsonObject>> = {
  ada: { email: 'ada@x.example', plan: 'pro' },
  bob: { name: 'Bob', plan: 'free' },
  eve: { plan: 'free' },
}
const CREATED_AT: Readonly<Record<string, number>> = { ada: 1000, bob: 2000, eve: 3000 }

const event = (name: string, daysAgo: number, distinctId: string, properties: JsonObject = {}) =>
  worldEvent({
    event: name,
    distinctId,
    timestamp: TODAY - daysAgo * DAY_MS + HOUR_MS,
    properties,
    person:
      PERSONS[distinctId] === undefined
        ? null
        : { properties: PERSONS[distinctId], createdAt: CREATED_AT[distinctId]! },
  })

const EVENTS = [
  event('view', 0, 'ada', { $browser: 'Firefox' }),
  event('view', 0, 'bob', { $browser: 'Chrome' }),
  event('view', 0, 'ghost'),
  event('view', 1, 'ada', { $browser: 'Chrome' }),
  event('view', 3, 'eve', { $browser: 'Safari' }),
  event('buy', 0, 'ada', { price: 10 }),
]

const trends = (fields: JsonObject = {}): JsonObject => ({
  kind: 'TrendsQuery',
  series: [{ kind: 'EventsNode', event: 'view', math: 'dau' }, { event: 'buy' }],
  dateRange: { date_from: '-3d' },
  ...fields,
})

const { ask: askQuery, expectRefusal } = createInsightTestBed(EVENTS, NOW)

const ask = (fields: JsonObject) => askQuery({ kind: 'ActorsQuery', ...fields })

/** The distinct ids of the persons behind a point. */
const behind = async (point: JsonObject, source: JsonObject = trends()): Promise<unknown> => {
  const body = await ask({
    source: { kind: 'InsightActorsQuery', source, ...point },
    orderBy: ['created_at ASC'],
  })
  return body.results.map(([person]: [{ readonly distinct_ids: string[] }]) => person.distinct_ids[0])
}

describe('a query of actors', () => {
  test('has the persons behind a day of a trend', async () => {
    const source = { kind: 'InsightActorsQuery', source: trends(), day: '2026-01-15', series: 0 }
    const body = await ask({ source })
    expect(body).toMatchObject({ timezone: 'UTC', limit: 100, offset: 0, hasMore: false, missing_actors_count: 1 })
    expect(body.columns).toEqual(['person', 'id'])
    const person = (distinctId: string) => {
      const id = derivePersonId(1, distinctId)
      return {
        id,
        uuid: id,
        properties: PERSONS[distinctId],
        is_identified: true,
        created_at: new Date(CREATED_AT[distinctId]!).toISOString(),
        distinct_ids: [distinctId],
      }
    }
    expect(body.results).toEqual([
      [person('bob'), derivePersonId(1, 'bob')],
      [person('ada'), derivePersonId(1, 'ada')],
    ])
  })

  test('has those of the whole range, another series, and of one time', async () => {
    expect(await behind({})).toEqual(['ada', 'bob', 'eve'])
    expect(await behind({ series: 1 })).toEqual(['ada'])
    expect(await behind({ day: '2026-01-12T10:00:00Z' })).toEqual(['eve'])
    expect(await behind({ day: '2026-01-13' })).toEqual([])
  })

  test.each<[string, JsonObject, string, readonly string[]]>([
    ['active in a week', { math: 'weekly_active' }, '2026-01-14', ['ada', 'eve']],
    ['with their first event', { math: 'first_time_for_user' }, '2026-01-15', ['bob']],
    ['whose property is measured', { event: 'buy', math: 'sum', math_property: 'price' }, '2026-01-15', ['ada']],
    ['whose sessions are counted', { math: 'unique_session' }, '2026-01-14', ['ada']],
  ])('has those %s', async (_, node, day, expected) => {
    const source = trends({ series: [{ kind: 'EventsNode', event: 'view', ...node }] })
    expect(await behind({ day }, source)).toEqual(expected)
  })

  test('has those of all days so far where the trend is cumulative', async () => {
    const source = trends({ trendsFilter: { display: 'ActionsLineGraphCumulative' } })
    expect(await behind({ day: '2026-01-14' }, source)).toEqual(['ada', 'eve'])
  })

  test('has those of one value of a breakdown, of no value, and of the others', async () => {
    const source = trends({ breakdownFilter: { breakdown: '$browser', breakdown_limit: 1 } })
    expect(await behind({ breakdown: 'Chrome' }, source)).toEqual(['ada', 'bob'])
    expect(await behind({ breakdown: 'Safari', day: '2026-01-12' }, source)).toEqual(['eve'])
    expect(await behind({ breakdown: '$$_posthog_breakdown_null_$$' }, source)).toEqual([])
    expect(await behind({ breakdown: '$$_posthog_breakdown_other_$$' }, source)).toEqual(['ada', 'eve'])
  })

  test('has those of either hour that occurs twice', async () => {
    const at = (distinctId: string, time: string) =>
      worldEvent({ event: 'view', distinctId, timestamp: Date.parse(time), person: { properties: {}, createdAt: 1 } })
    const bed = createInsightTestBed([at('ada', '2025-10-26T00:30Z'), at('bob', '2025-10-26T01:30Z')], NOW)
    const { request, ask: send } = await bed.open()
    await request('PATCH', '', { timezone: 'Europe/Berlin' })
    const source = trends({ interval: 'hour', dateRange: { date_from: '2025-10-26', date_to: '2025-10-26' } })
    const { body } = await send(source)
    expect(body.results[0].days.filter((day: string) => day === '2025-10-26 02:00:00')).toHaveLength(2)
    const of = async (day: string): Promise<unknown> => {
      const { body: actors } = await send({ kind: 'ActorsQuery', source: { kind: 'InsightActorsQuery', source, day } })
      return actors.results.map(([person]: [{ readonly distinct_ids: string[] }]) => person.distinct_ids[0])
    }
    expect(await of('2025-10-26 02:00:00')).toEqual(['ada'])
    expect(await of('2025-10-26T02:00:00+02:00')).toEqual(['ada'])
    expect(await of('2025-10-26T02:00:00+01:00')).toEqual(['bob'])
  })

  test('has those of the range before', async () => {
    const source = trends({ compareFilter: { compare: true }, dateRange: { date_from: '-1d' } })
    expect(await behind({ compare: 'previous' }, source)).toEqual(['eve'])
    expect(await behind({ compare: 'previous', day: '2026-01-12' }, source)).toEqual(['eve'])
    expect(await behind({ compare: 'current' }, source)).toEqual(['ada', 'bob'])
  })

  describe('behind other insights', () => {
    const query = (kind: string, fields: JsonObject = {}): JsonObject => ({
      kind,
      series: [{ kind: 'EventsNode', event: 'view' }],
      dateRange: { date_from: '-3d' },
      ...fields,
    })

    test('has those of a number of days of stickiness', async () => {
      const source = query('StickinessQuery')
      expect(await behind({ day: 1 }, source)).toEqual(['bob', 'eve'])
      expect(await behind({ day: 2 }, source)).toEqual(['ada'])
      expect(await behind({}, source)).toEqual(['ada', 'bob', 'eve'])
      const cumulative = query('StickinessQuery', { stickinessFilter: { computedAs: 'cumulative' } })
      expect(await behind({ day: '1' }, cumulative)).toEqual(['ada', 'bob', 'eve'])
    })

    test('has those of a status of a lifecycle on a day', async () => {
      const source = query('LifecycleQuery')
      const on = (day: string, status: string) => behind({ day, status }, source)
      expect(await on('2026-01-15', 'returning')).toEqual(['ada'])
      expect(await on('2026-01-15', 'resurrecting')).toEqual(['bob'])
      expect(await on('2026-01-13', 'dormant')).toEqual(['eve'])
      expect(await on('2026-01-15', 'dormant')).toEqual([])
    })

    test('has those of a cohort of retention', async () => {
      const source: JsonObject = {
        kind: 'RetentionQuery',
        retentionFilter: { targetEntity: { id: 'view' }, returningEntity: { id: 'view' }, totalIntervals: 4 },
      }
      expect(await behind({ interval: 0 }, source)).toEqual(['eve'])
      expect(await behind({ interval: 2 }, source)).toEqual(['ada'])
      expect(await behind({ interval: 3 }, source)).toEqual(['ada', 'bob'])
    })

    const paths = (pathsFilter: JsonObject): JsonObject => query('PathsQuery', { pathsFilter })

    test('has those of an edge of paths, of an item, and those who left there', async () => {
      const at = (pathsFilter: JsonObject) => behind({}, paths(pathsFilter))
      expect(await at({})).toEqual(['ada', 'bob', 'eve'])
      expect(await at({ pathStartKey: '1_view', pathEndKey: '2_buy' })).toEqual(['ada'])
      expect(await at({ pathStartKey: '1_view' })).toEqual(['ada'])
      expect(await at({ pathEndKey: '1_view' })).toEqual(['ada', 'bob', 'eve'])
      expect(await at({ pathDropoffKey: '1_view' })).toEqual(['ada', 'bob', 'eve'])
      expect(await at({ pathDropoffKey: '2_buy' })).toEqual(['ada'])
      expect(await at({ pathDropoffKey: '1_buy' })).toEqual([])
    })

    const atStep = async (fields: JsonObject, source: JsonObject = {}): Promise<unknown> => {
      const series = [{ event: 'view' }, { event: 'buy' }]
      const funnel = query('FunnelsQuery', { series, ...source })
      const body = await ask({
        source: { kind: 'FunnelsActorsQuery', source: funnel, ...fields },
        orderBy: ['created_at ASC'],
      })
      return body.results.map(([person]: [{ readonly distinct_ids: string[] }]) => person.distinct_ids[0])
    }

    test('has those of a step of a funnel, and those who did not come so far', async () => {
      expect(await atStep({ funnelStep: 1 })).toEqual(['ada', 'bob', 'eve'])
      expect(await atStep({ funnelStep: 2 })).toEqual(['ada'])
      expect(await atStep({ funnelStep: -2 })).toEqual(['bob', 'eve'])
    })

    test('has those who left out an optional step, whether or not they went on', async () => {
      const series: JsonObject[] = [{ event: 'view' }, { event: 'help', optionalInFunnel: true }, { event: 'buy' }]
      expect(await atStep({ funnelStep: 2 }, { series })).toEqual([])
      expect(await atStep({ funnelStep: 3 }, { series })).toEqual(['ada'])
      expect(await atStep({ funnelStep: -2 }, { series })).toEqual(['ada', 'bob', 'eve'])
      expect(await atStep({ funnelStep: -3 }, { series })).toEqual(['bob', 'eve'])
    })

    test('has those of a value of the breakdown of a funnel', async () => {
      const source = { breakdownFilter: { breakdown: '$browser', breakdown_limit: 1 } }
      expect(await atStep({ funnelStep: 1, funnelStepBreakdown: 'Chrome' }, source)).toEqual(['ada', 'bob'])
      expect(await atStep({ funnelStep: 2, funnelStepBreakdown: 'Chrome' }, source)).toEqual(['ada'])
      const others = '$$_posthog_breakdown_other_$$'
      expect(await atStep({ funnelStep: 1, funnelStepBreakdown: others }, source)).toEqual(['eve'])
    })

    const point = (source: JsonObject, fields: JsonObject): JsonObject => ({
      kind: 'InsightActorsQuery',
      source,
      ...fields,
    })
    const ofStep = (fields: JsonObject): JsonObject => ({
      kind: 'FunnelsActorsQuery',
      source: query('FunnelsQuery', { series: [{}, {}] }),
      ...fields,
    })

    test.each<[string, JsonObject, string]>([
      ['more days than there are', point(query('StickinessQuery'), { day: 5 }), 'query.source.day must be one of the "days" of the insight, a number from 1 to 4'], // prettier-ignore
      ['a value of stickiness', point(query('StickinessQuery'), { breakdown: 'a' }), 'query.source.breakdown must be missing'], // prettier-ignore
      ['a lifecycle without a status', point(query('LifecycleQuery'), { day: '2026-01-15' }), 'query.source.status is missing'], // prettier-ignore
      ['a lifecycle without a day', point(query('LifecycleQuery'), { status: 'new' }), 'query.source.day is missing'],
      ['an unknown status', point(query('LifecycleQuery'), { status: 'gone' }), '"query.source.status" must be'],
      ['retention without a cohort', point({ kind: 'RetentionQuery', retentionFilter: {} }, {}), 'query.source.interval is missing'], // prettier-ignore
      ['a cohort that is not there', point({ kind: 'RetentionQuery', retentionFilter: {} }, { interval: 11 }), 'query.source.interval must be less than 11'], // prettier-ignore
      ['SQL', point({ kind: 'HogQLQuery', query: 'SELECT 1' }, {}), '"query.source.source.kind" must be one of "TrendsQuery", "StickinessQuery"'], // prettier-ignore
      ['a day of paths', point(paths({}), { day: '2026-01-15' }), 'query.source.day must be missing: keys in "pathsFilter"'], // prettier-ignore
      ['a key without a place', point(paths({ pathStartKey: 'view' }), {}), 'query.source.source.pathsFilter.pathStartKey must be a "source" or "target" of the answer'], // prettier-ignore
      ['a key of place 0', point(paths({ pathEndKey: '0_view' }), {}), 'query.source.source.pathsFilter.pathEndKey must be a "source" or "target"'], // prettier-ignore
      ['a key beyond the steps', point(paths({ pathEndKey: '3_view', stepLimit: 2 }), {}), 'query.source.source.pathsFilter.pathEndKey must be one of the first 2 steps'], // prettier-ignore
      ['keys that are no edge', point(paths({ pathStartKey: '1_view', pathEndKey: '3_buy' }), {}), 'query.source.source.pathsFilter.pathEndKey must begin with "2_"'], // prettier-ignore
      ['a drop-off beside an end', point(paths({ pathDropoffKey: '1_view', pathEndKey: '1_view' }), {}), 'query.source.source.pathsFilter.pathDropoffKey must be missing'], // prettier-ignore
      ['a mistake in stickiness', point(query('StickinessQuery', { interval: 'year' }), {}), '"query.source.source.interval" must be one of "minute"'], // prettier-ignore
      ['no step', ofStep({}), '"query.source.funnelStep" is missing'],
      ['a step that is not there', ofStep({ funnelStep: 3 }), 'query.source.funnelStep must be from 1 to 2'],
      ['those who dropped off before the first step', ofStep({ funnelStep: -1 }), 'query.source.funnelStep must be'],
      ['a value of no breakdown', ofStep({ funnelStep: 1, funnelStepBreakdown: 'a' }), 'the funnel has no breakdown'],
    ])('refuses %s', (_, source, message) => expectRefusal({ kind: 'ActorsQuery', source }, message))
  })

  test('lists all persons, page by page, in an order', async () => {
    const fields = { select: ['id', 'created_at'], orderBy: ['id DESC'] }
    const ids = ['ada', 'bob', 'eve']
      .map((id) => derivePersonId(1, id))
      .toSorted()
      .toReversed()
    const first = await ask({ ...fields, limit: 2 })
    expect(first).toMatchObject({ columns: ['id', 'created_at'], limit: 2, hasMore: true, missing_actors_count: 0 })
    expect(first.results.map(([id]: [string]) => id)).toEqual(ids.slice(0, 2))
    const second = await ask({ ...fields, limit: 2, offset: 2 })
    expect(second.hasMore).toBe(false)
    expect(second.results.map(([id]: [string]) => id)).toEqual(ids.slice(2))
  })

  test('searches and filters persons', async () => {
    const found = async (fields: JsonObject): Promise<unknown> =>
      (await ask({ orderBy: ['created_at'], ...fields })).results.map(
        ([person]: [{ readonly distinct_ids: string[] }]) => person.distinct_ids[0],
      )
    expect(await found({ search: 'ADA@' })).toEqual(['ada'])
    expect(await found({ search: 'bob' })).toEqual(['bob'])
    expect(await found({ search: "x' OR 1=1 --" })).toEqual([])
    const free = { key: 'plan', type: 'person', operator: 'exact', value: 'free' }
    expect(await found({ properties: [free] })).toEqual(['bob', 'eve'])
    const isEve = { key: 'distinct_id', type: 'person', operator: 'exact', value: 'eve' }
    expect(await found({ properties: { type: 'AND', values: [free, isEve] } })).toEqual(['eve'])
  })

  test.each<[string, JsonObject, string]>([
    ['SQL as its source', { source: { kind: 'HogQLQuery', query: 'select 1' } }, 'query.source'],
    ['an unknown column', { select: ['person', 'email'] }, 'query.select[1] must be one of person'],
    ['an unknown order', { orderBy: ['name'] }, 'query.orderBy[0] must be one of created_at, id'],
    ['too many actors', { limit: 50_001 }, '"query.limit" must be'],
    [
      'filters of events',
      { properties: [{ key: '$browser', type: 'event', value: 'a', operator: 'exact' }] },
      'query.properties[0].type must be person or cohort',
    ],
    [
      'a series that is not there',
      { source: { kind: 'InsightActorsQuery', source: trends(), series: 2 } },
      'query.source.series must be less than 2',
    ],
    [
      'a day outside the range',
      { source: { kind: 'InsightActorsQuery', source: trends(), day: '2026-01-01' } },
      'query.source.day must be one of the "days"',
    ],
    [
      'a number as a day of a trend',
      { source: { kind: 'InsightActorsQuery', source: trends(), day: 15 } },
      'query.source.day must be one of the "days" of the insight, a string: only a StickinessQuery has numbers',
    ],
    [
      'a day that is none',
      { source: { kind: 'InsightActorsQuery', source: trends(), day: 'soon' } },
      'query.source.day must be one of the "days"',
    ],
    [
      'a range that the insight does not compare',
      { source: { kind: 'InsightActorsQuery', source: trends(), compare: 'previous' } },
      'query.source.compare must be "current"',
    ],
    [
      'a mistake in the insight',
      { source: { kind: 'InsightActorsQuery', source: trends({ dateRange: { date_from: 'soon' } }) } },
      'query.source.source.dateRange.date_from must be an ISO 8601 date',
    ],
    [
      'an insight without series',
      { source: { kind: 'InsightActorsQuery', source: { kind: 'TrendsQuery' } } },
      'series',
    ],
  ])('refuses %s', (_, fields, message) => expectRefusal({ kind: 'ActorsQuery', ...fields }, message))
})
