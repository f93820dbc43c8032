import { describe, expect, test } from 'vitest'
import type { JsonObject } from '../../../../src/wire/json.ts'
import { worldEvent } from '../../../contract/questions/world.ts'
import { createInsightTestBed } from '../../support/insights.ts'

const DAY_MS = 86_400_000
const HOUR_MS = 3_600_000
/** A Thursday. */
const NOW = Date.UTC(2026, 0, 15, 12)
const TODAY = Date.UTC(2026, 0, 15)

const event = (name: string, daysAgo: number, distinctId: string, properties: JsonObject = {}, company?: string) =>
  worldEvent({
    event: name,
    distinctId,
    timestamp: TODAY - daysAgo * DAY_MS + HOUR_MS,
    properties,
    groups: company === undefined ? {} : { company },
  })

const EVENTS = [
  event('open', 2, 'ada', { plan: 'pro' }, 'acme'),
  event('save', 1, 'ada', {}, 'acme'),
  event('save', 0, 'ada'),
  event('save', 0, 'ada'),
  event('open', 2, 'bob', { plan: 'free' }, 'acme'),
  event('open', 1, 'bob', { plan: 'free' }),
  event('save', 0, 'bob', {}, 'acme'),
  event('open', 20, 'old'),
  event('open', 1, 'old', { plan: 'pro' }),
  event('$pageview', 0, 'eve'),
]

const retention = (filter: JsonObject = {}, fields: JsonObject = {}): JsonObject => ({
  kind: 'RetentionQuery',
  retentionFilter: {
    targetEntity: { id: 'open', type: 'events' },
    returningEntity: { id: 'save', type: 'events' },
    totalIntervals: 3,
    ...filter,
  },
  ...fields,
})

const { open, ask, expectRefusal } = createInsightTestBed(EVENTS, NOW)

interface Result {
  readonly values: readonly { readonly count: number }[]
  readonly breakdown_value?: unknown
}

const countsOf = (results: readonly Result[]): unknown => results.map(({ values }) => values.map(({ count }) => count))

describe('a query of retention', () => {
  test('has a cohort for each day, with those who returned on later days', async () => {
    const { results } = await ask(retention())
    const value = (count: number, day: number) => ({ count, label: `Day ${day}` })
    expect(results).toEqual([
      { date: '2026-01-13T00:00:00Z', label: 'Day 0', values: [value(2, 0), value(1, 1), value(2, 2)] },
      { date: '2026-01-14T00:00:00Z', label: 'Day 1', values: [value(2, 0), value(1, 1)] },
      { date: '2026-01-15T00:00:00Z', label: 'Day 2', values: [value(0, 0)] },
    ])
  })

  test('has 11 days by default, of page views', async () => {
    const { results } = await ask({ kind: 'RetentionQuery', retentionFilter: {} })
    expect(results).toHaveLength(11)
    expect(results[0].values).toHaveLength(11)
    expect(results[10]).toMatchObject({ date: '2026-01-15T00:00:00Z', values: [{ count: 1 }] })
  })

  test.each<[string, JsonObject, readonly (readonly number[])[]]>([
    ['all events', { targetEntity: { id: null }, returningEntity: {} }, [[2, 2, 2], [3, 2], [3]]],
    ['first events of a person', { retentionType: 'retention_first_time' }, [[2, 1, 2], [0, 0], [0]]],
    [
      'filtered target events',
      { targetEntity: { id: 'open', properties: [{ key: 'plan', value: 'pro' }] } },
      [[1, 1, 1], [1, 0], [0]],
    ],
    [
      'first target events with filters',
      {
        targetEntity: { id: 'open', properties: [{ key: 'plan', value: 'pro' }] },
        retentionType: 'retention_first_time',
      },
      [[1, 1, 1], [1, 0], [0]],
    ],
    [
      'first events of the name, if they match the filters',
      {
        targetEntity: { id: 'open', properties: [{ key: 'plan', value: 'pro' }] },
        retentionType: 'retention_first_ever_occurrence',
      },
      [[1, 1, 1], [0, 0], [0]],
    ],
    ['returns on a day or later', { cumulative: true }, [[2, 2, 2], [2, 1], [0]]],
    ['returns with several events', { minimumOccurrences: 2 }, [[2, 0, 1], [2, 0], [0]]],
    ['percentages of the period before', { retentionReference: 'previous' }, [[2, 1, 2], [2, 1], [0]]],
  ])('counts %s', async (_, filter, counts) => {
    const { results } = await ask(retention(filter))
    expect(countsOf(results)).toEqual(counts)
  })

  test('has hours, weeks and months', async () => {
    const hours = await ask(retention({ period: 'Hour' }, { dateRange: { date_to: '2026-01-14T02:30:00Z' } }))
    expect(hours.results.map(({ date }: JsonObject) => date)).toEqual([
      '2026-01-14T00:00:00Z',
      '2026-01-14T01:00:00Z',
      '2026-01-14T02:00:00Z',
    ])
    expect(countsOf(hours.results)).toEqual([[0, 0, 0], [2, 0], [0]])
    const weeks = await ask(retention({ period: 'Week', returningEntity: { id: 'open' } }))
    expect(weeks.results[0]).toMatchObject({ date: '2025-12-28T00:00:00Z', label: 'Week 0' })
    expect(countsOf(weeks.results)).toEqual([[0, 0, 0], [0, 0], [3]])
    const months = await ask(retention({ period: 'Month', returningEntity: { id: 'open' }, totalIntervals: 2 }))
    expect(months.results.map(({ date }: JsonObject) => date)).toEqual(['2025-12-01T00:00:00Z', '2026-01-01T00:00:00Z'])
    expect(countsOf(months.results)).toEqual([[1, 1], [3]])
  })

  test('ends with the day of date_to, and ignores date_from', async () => {
    const { results } = await ask(retention({}, { dateRange: { date_from: '-90d', date_to: '-1d' } }))
    expect(countsOf(results)).toEqual([[0, 0, 0], [2, 1], [2]])
  })

  test('counts days as the project does', async () => {
    const { request, ask: send } = await open()
    await request('PATCH', '', { timezone: 'America/New_York' })
    const { body } = await send(retention())
    expect(body.results[0].date).toBe('2026-01-13T00:00:00-05:00')
    // One in the morning of a day in UTC is the evening before in New York.
    expect(countsOf(body.results)).toEqual([[2, 1, 0], [0, 0], [0]])
  })

  test('divides by a property of the target event', async () => {
    const groupsOf = async (filter: JsonObject): Promise<unknown> => {
      const { results } = await ask(retention({ totalIntervals: 2 }, { breakdownFilter: filter }))
      return results.map((result: Result) => [result.breakdown_value, countsOf([result])])
    }
    expect(await groupsOf({ breakdown: 'plan' })).toEqual([
      ['free', [[1, 1]]],
      ['free', [[0]]],
      ['pro', [[1, 0]]],
      ['pro', [[0]]],
    ])
    expect(await groupsOf({ breakdown: 'plan', breakdown_limit: 1 })).toEqual([
      ['free', [[1, 1]]],
      ['free', [[0]]],
      ['$$_posthog_breakdown_other_$$', [[1, 0]]],
      ['$$_posthog_breakdown_other_$$', [[0]]],
    ])
    // The plans are no numbers.
    expect(await groupsOf({ breakdown: 'plan', breakdown_histogram_bin_count: 3 })).toEqual([
      ['$$_posthog_breakdown_null_$$', [[2, 1]]],
      ['$$_posthog_breakdown_null_$$', [[0]]],
    ])
    const hidden = { breakdowns: [{ property: 'plan' }], breakdown_limit: 1, breakdown_hide_other_aggregation: true }
    expect(await groupsOf(hidden)).toHaveLength(2)
  })

  test('divides by cohorts, counts groups, and leaves out internal users', async () => {
    const { request, ask: send } = await open()
    const isAda = { key: 'distinct_id', value: 'ada', type: 'person', operator: 'exact' }
    const filters = { properties: { type: 'OR', values: [{ type: 'AND', values: [isAda] }] } }
    const { body: cohort } = await request('POST', 'cohorts/', { name: 'Ada', filters })
    const byCohort = await send(
      retention({}, { breakdownFilter: { breakdown: [cohort.id, 'all'], breakdown_type: 'cohort' } }),
    )
    const values = byCohort.body.results.map(({ breakdown_value }: Result) => breakdown_value)
    expect(values).toEqual([cohort.id, cohort.id, cohort.id, 'all', 'all', 'all'])
    expect(countsOf(byCohort.body.results.slice(0, 3))).toEqual([[1, 1, 1], [0, 0], [0]])
    await request('POST', 'groups_types/', { group_type: 'company' })
    const byGroup = await send(retention({}, { aggregation_group_type_index: 0 }))
    expect(countsOf(byGroup.body.results)).toEqual([[1, 1, 1], [0, 0], [0]])
    await request('PATCH', '', { test_account_filters: [{ ...isAda, operator: 'is_not' }] })
    const withoutAda = await send(retention({}, { filterTestAccounts: true }))
    expect(countsOf(withoutAda.body.results)).toEqual([[1, 0, 1], [2, 1], [0]])
  })

  test.each<[string, JsonObject, string]>([
    ['no filter', { retentionFilter: null }, '"query.retentionFilter" must be a JSON object'],
    [
      'an unknown period',
      { retentionFilter: { period: 'Year' } },
      '"query.retentionFilter.period" must be one of "Hour"',
    ],
    [
      'too many periods',
      { retentionFilter: { totalIntervals: 1000 } },
      '"query.retentionFilter.totalIntervals" must be',
    ],
    ['no period', { retentionFilter: { totalIntervals: 0 } }, '"query.retentionFilter.totalIntervals" must be'],
    [
      'an unknown type',
      { retentionFilter: { retentionType: 'often' } },
      '"query.retentionFilter.retentionType" must be',
    ],
    [
      'an action',
      { retentionFilter: { targetEntity: { type: 'actions', id: 'x' } } },
      '"query.retentionFilter.targetEntity.type" must be',
    ],
    [
      'the id of an action',
      { retentionFilter: { returningEntity: { id: 7 } } },
      '"query.retentionFilter.returningEntity.id" must be',
    ],
    [
      'a wrong filter',
      { retentionFilter: { targetEntity: { properties: [{ key: 'a', operator: 'like', value: 1 }] } } },
      'query.retentionFilter.targetEntity.properties[0].operator must be one of',
    ],
  ])('refuses %s', (_, fields, message) => expectRefusal({ ...retention(), ...fields }, message))
})
