import { describe, expect, test } from 'vitest'
import type { JsonObject } from '../../../../src/wire/json.ts'
import { worldEvent } from '../../../contract/questions/world.ts'
import { createInsightTestBed } from '../../support/insights.ts'

const DAY_MS = 86_400_000
const HOUR_MS = 3_600_000
/** A Thursday. */
const NOW = Date.UTC(2026, 0, 15, 12)
const TODAY = Date.UTC(2026, 0, 15)

const views = (distinctId: string, ...daysAgo: readonly number[]) =>
  daysAgo.map((days) =>
    worldEvent({
      event: 'view',
      distinctId,
      timestamp: TODAY - days * DAY_MS + HOUR_MS,
      properties: { $browser: distinctId === 'ada' ? 'Firefox' : 'Chrome' },
      groups: distinctId === 'eve' ? {} : { company: 'acme' },
    }),
  )

const EVENTS = [
  ...views('ada', 0, 0, 1, 3),
  ...views('bob', 0, 2),
  ...views('eve', 2, 2, 3),
  ...views('old', 5, 12),
  worldEvent({ event: 'buy', distinctId: 'ada', timestamp: TODAY }),
]

const stickiness = (fields: JsonObject = {}): JsonObject => ({
  kind: 'StickinessQuery',
  series: [{ kind: 'EventsNode', event: 'view' }],
  dateRange: { date_from: '-3d' },
  ...fields,
})

const { open, ask, expectRefusal } = createInsightTestBed(EVENTS, NOW)

describe('a query of stickiness', () => {
  test('has the number of persons for each number of days', async () => {
    const { results } = await ask(stickiness())
    expect(results).toEqual([
      {
        action: { id: 'view', type: 'events', order: 0, name: 'view', custom_name: null, math: null },
        label: 'view',
        data: [0, 2, 1, 0],
        count: 3,
        days: [1, 2, 3, 4],
        labels: ['1 day', '2 days', '3 days', '4 days'],
      },
    ])
  })

  test('is about the last seven days by default, and about each series', async () => {
    const { results } = await ask({ kind: 'StickinessQuery', series: [{}, { event: 'buy', custom_name: 'Purchase' }] })
    expect(results.map(({ label, data }: JsonObject) => [label, data])).toEqual([
      ['All events', [1, 2, 1, 0, 0, 0, 0, 0]],
      ['Purchase', [1, 0, 0, 0, 0, 0, 0, 0]],
    ])
  })

  test.each<[string, JsonObject, readonly number[]]>([
    ['so many days or more', { stickinessFilter: { computedAs: 'cumulative' } }, [3, 3, 1, 0]],
    [
      'days with many events',
      { stickinessFilter: { stickinessCriteria: { operator: 'gte', value: 2 } } },
      [2, 0, 0, 0],
    ],
    ['days with few events', { stickinessFilter: { stickinessCriteria: { operator: 'lte', value: 1 } } }, [1, 2, 0, 0]],
    [
      'days with a number of events',
      { stickinessFilter: { stickinessCriteria: { operator: 'exact', value: 2 } } },
      [2, 0, 0, 0],
    ],
    ['pairs of days', { intervalCount: 2 }, [1, 2]],
    ['unequal groups of days', { intervalCount: 3 }, [1, 2]],
    ['persons', { series: [{ event: 'view', math: 'dau' }] }, [0, 2, 1, 0]],
    ['filtered events', { properties: [{ key: '$browser', value: 'Chrome', type: 'event' }] }, [0, 2, 0, 0]],
    ['weeks', { interval: 'week', dateRange: { date_from: '-14d' } }, [3, 1, 0]],
  ])('counts %s', async (_, fields, data) => {
    const { results } = await ask(stickiness(fields))
    expect(results[0].data).toEqual(data)
  })

  test('names its intervals', async () => {
    const { results } = await ask(stickiness({ interval: 'week', dateRange: { date_from: '-7d' } }))
    expect(results[0].labels).toEqual(['1 week', '2 weeks'])
  })

  test('counts groups, and leaves out internal users', async () => {
    const { request, ask: send } = await open()
    await request('POST', 'groups_types/', { group_type: 'company' })
    const { body } = await send(stickiness({ series: [{ event: 'view', math: 'unique_group' }] }))
    expect(body.results[0].data).toEqual([0, 0, 0, 1])
    const filter = { key: 'distinct_id', type: 'event_metadata', operator: 'is_not', value: 'eve' }
    await request('PATCH', '', { test_account_filters: [filter] })
    const filtered = await send(stickiness({ filterTestAccounts: true }))
    expect(filtered.body.results[0].data).toEqual([0, 1, 1, 0])
  })

  test('compares with an earlier time', async () => {
    const { results } = await ask(stickiness({ compareFilter: { compare: true } }))
    expect(results.map(({ compare, compare_label, data }: JsonObject) => [compare, compare_label, data])).toEqual([
      [true, 'current', [0, 2, 1, 0]],
      [true, 'previous', [1, 0, 0, 0]],
    ])
    const earlier = await ask(stickiness({ compareFilter: { compare: true, compare_to: '-12d' } }))
    expect(earlier.results[1].data).toEqual([1, 0, 0, 0])
  })

  test.each<[string, JsonObject, string]>([
    ['another measure', { series: [{ math: 'sum' }] }, 'query.series[0].math must be one of total, dau, unique_group'],
    ['empty intervals', { intervalCount: 0 }, '"query.intervalCount" must be'],
    [
      'an unknown criterion',
      { stickinessFilter: { stickinessCriteria: { operator: 'gt', value: 1 } } },
      '"query.stickinessFilter.stickinessCriteria.operator" must be one of "gte"',
    ],
    [
      'a criterion that all intervals meet',
      { stickinessFilter: { stickinessCriteria: { operator: 'gte', value: 0 } } },
      '"query.stickinessFilter.stickinessCriteria.value" must be',
    ],
    [
      'a wrong comparison',
      { compareFilter: { compare: true, compare_to: 'then' } },
      'query.compareFilter.compare_to must be',
    ],
  ])('refuses %s', (_, fields, message) => expectRefusal(stickiness(fields), message))
})
