import { describe, expect, test } from 'vitest'
import type { JsonObject } from '../../../../src/wire/json.ts'
import { worldEvent } from '../../../contract/questions/world.ts'
import { createInsightTestBed } from '../../support/insights.ts'

const DAY_MS = 86_400_000
const HOUR_MS = 3_600_000
/** A Thursday. */
const NOW = Date.UTC(2026, 0, 15, 12)
const TODAY = Date.UTC(2026, 0, 15)

const timeOf = (daysAgo: number): number => TODAY - daysAgo * DAY_MS + HOUR_MS

/** Views of a person; null for one that is not stored. */
const views = (distinctId: string, createdDaysAgo: number | null, ...daysAgo: readonly number[]) =>
  daysAgo.map((days) =>
    worldEvent({
      event: 'view',
      distinctId,
      timestamp: timeOf(days),
      person: createdDaysAgo === null ? null : { properties: {}, createdAt: timeOf(createdDaysAgo) },
      groups: { company: distinctId === 'bob' ? 'acme' : 'beta' },
    }),
  )

const EVENTS = [
  ...views('ada', 40, 4, 3, 1, 0),
  ...views('bob', 1, 1),
  ...views('anonymous', null, 2, 0),
  ...views('back', 40, 0),
  worldEvent({ event: 'look', distinctId: 'ada', timestamp: timeOf(2) }),
]

const lifecycle = (fields: JsonObject = {}): JsonObject => ({
  kind: 'LifecycleQuery',
  series: [{ kind: 'EventsNode', event: 'view' }],
  dateRange: { date_from: '-3d' },
  ...fields,
})

const { open, ask, expectRefusal } = createInsightTestBed(EVENTS, NOW)

const dataOf = (results: readonly JsonObject[]): unknown => results.map(({ status, data }) => [status, data])

describe('a query of lifecycles', () => {
  test('has a number for each status and day, compared with the day before', async () => {
    const { results } = await ask(lifecycle())
    const common = {
      action: { id: 'view', type: 'events', order: 0, name: 'view', custom_name: null, math: null },
      days: ['2026-01-12', '2026-01-13', '2026-01-14', '2026-01-15'],
      labels: ['12-Jan-2026', '13-Jan-2026', '14-Jan-2026', '15-Jan-2026'],
    }
    expect(results).toEqual([
      { ...common, label: 'view - new', status: 'new', data: [0, 1, 1, 0], count: 2 },
      { ...common, label: 'view - returning', status: 'returning', data: [1, 0, 0, 1], count: 2 },
      { ...common, label: 'view - resurrecting', status: 'resurrecting', data: [0, 0, 1, 2], count: 3 },
      { ...common, label: 'view - dormant', status: 'dormant', data: [0, -1, -1, -1], count: -3 },
    ])
  })

  test('is about the last seven days by default, and about all events', async () => {
    const { results } = await ask({ kind: 'LifecycleQuery', series: [{}] })
    expect(results[0].label).toBe('All events - new')
    expect(dataOf(results)).toEqual([
      ['new', [0, 0, 0, 0, 0, 1, 1, 0]],
      ['returning', [0, 0, 0, 0, 1, 1, 1, 1]],
      ['resurrecting', [0, 0, 0, 1, 0, 0, 0, 2]],
      ['dormant', [0, 0, 0, 0, 0, 0, -1, -1]],
    ])
  })

  test('has the statuses that are asked, in the same order', async () => {
    const { results } = await ask(lifecycle({ lifecycleFilter: { toggledLifecycles: ['dormant', 'new'] } }))
    expect(results.map(({ status }: JsonObject) => status)).toEqual(['new', 'dormant'])
  })

  test('has hours, and whole weeks and months', async () => {
    const hours = await ask(
      lifecycle({ interval: 'hour', dateRange: { date_from: 'dStart', date_to: '2026-01-15T02:30:00' } }),
    )
    expect(hours.results[0].days[1]).toBe('2026-01-15 01:00:00')
    expect(dataOf(hours.results)).toEqual([
      ['new', [0, 0, 0]],
      ['returning', [0, 0, 0]],
      ['resurrecting', [0, 3, 0]],
      ['dormant', [0, 0, -3]],
    ])
    // The week before the first one is compared, and the first one begins before the range.
    const weeks = await ask(lifecycle({ interval: 'week', dateRange: { date_from: '-1d' } }))
    expect(weeks.results[0].days).toEqual(['2026-01-11'])
    expect(dataOf(weeks.results)).toEqual([
      ['new', [2]],
      ['returning', [0]],
      ['resurrecting', [2]],
      ['dormant', [0]],
    ])
    const months = await ask(lifecycle({ interval: 'month', dateRange: { date_from: 'all' } }))
    expect(months.results[0]).toMatchObject({ data: [2], days: ['2026-01-01'] })
  })

  test('has months since 1970', async () => {
    const { results } = await ask(lifecycle({ interval: 'month', dateRange: { date_from: '1970-01-01' } }))
    const months = 56 * 12 + 1
    const last = results.map(({ status, data }: { status: string; data: number[] }) => [
      status,
      data.length,
      data.at(-1),
    ])
    expect(last).toEqual([
      ['new', months, 2],
      ['returning', months, 0],
      ['resurrecting', months, 2],
      ['dormant', months, 0],
    ])
  })

  test('counts days as the project does', async () => {
    const { request, ask: send } = await open()
    await request('PATCH', '', { timezone: 'America/New_York' })
    const { body } = await send(lifecycle({ dateRange: { date_from: '-1d' } }))
    // One in the morning of a day in UTC is the evening before in New York.
    expect(dataOf(body.results)).toEqual([
      ['new', [0, 0]],
      ['returning', [1, 0]],
      ['resurrecting', [2, 0]],
      ['dormant', [-1, -3]],
    ])
  })

  test('counts groups, and leaves out internal users', async () => {
    const { request, ask: send } = await open()
    await request('POST', 'groups_types/', { group_type: 'company' })
    const groups = await send(lifecycle({ aggregation_group_type_index: 0 }))
    // No group was described, so each begins with its first event.
    expect(dataOf(groups.body.results)).toEqual([
      ['new', [0, 0, 1, 0]],
      ['returning', [1, 1, 1, 1]],
      ['resurrecting', [0, 0, 0, 0]],
      ['dormant', [0, 0, 0, -1]],
    ])
    const filter = { key: 'distinct_id', type: 'event_metadata', operator: 'is_not', value: 'ada' }
    await request('PATCH', '', { test_account_filters: [filter] })
    const filtered = await send(lifecycle({ filterTestAccounts: true }))
    expect(filtered.body.results[1].data).toEqual([0, 0, 0, 0])
  })

  test.each<[string, JsonObject, string]>([
    ['two series', { series: [{}, {}] }, '"query.series" must be an array of at most 1 item'],
    [
      'an unknown status',
      { lifecycleFilter: { toggledLifecycles: ['asleep'] } },
      '"query.lifecycleFilter.toggledLifecycles[0]" must be one of "new"',
    ],
  ])('refuses %s', (_, fields, message) => expectRefusal(lifecycle(fields), message))
})
