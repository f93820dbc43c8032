import { describe, expect, test } from 'vitest'
import type { JsonObject } from '../../../../src/wire/json.ts'
import { worldEvent } from '../../../contract/questions/world.ts'
import { createInsightTestBed, openInsights } from '../../support/insights.ts'

const DAY_MS = 86_400_000
const HOUR_MS = 3_600_000
const NOW = Date.UTC(2026, 0, 15, 12)
const TODAY = Date.UTC(2026, 0, 15)

const event = (distinctId: string, name: string, daysAgo: number, hour: number, properties: JsonObject = {}) =>
  worldEvent({ event: name, distinctId, timestamp: TODAY - daysAgo * DAY_MS + hour * HOUR_MS, properties })

const EVENTS = [
  event('ada', 'view', 2, 1, { plan: 'pro' }),
  event('ada', 'cart', 2, 2, { plan: 'free' }),
  event('ada', 'buy', 1, 2),
  event('bob', 'view', 2, 1, { plan: 'free' }),
  event('bob', 'help', 2, 2),
  event('bob', 'cart', 2, 4),
  event('eve', 'cart', 0, 1),
  event('eve', 'view', 0, 2),
  event('old', 'view', 9, 1),
]

const funnel = (fields: JsonObject = {}, filter: JsonObject = {}): JsonObject => ({
  kind: 'FunnelsQuery',
  series: [{ kind: 'EventsNode', event: 'view' }, { event: 'cart' }, { event: 'buy', custom_name: 'Bought' }],
  dateRange: { date_from: '-2d' },
  funnelsFilter: filter,
  ...fields,
})

const { open, ask: askAll, expectRefusal } = createInsightTestBed(EVENTS, NOW)

const ask = async (query: JsonObject) => (await askAll(query)).results

const countsOf = (steps: readonly JsonObject[]) => steps.map(({ count }) => count)

describe('a query of a funnel', () => {
  test('has the persons of each step, and their times from the step before', async () => {
    const step = { people: [], type: 'events', custom_name: null }
    expect(await ask(funnel())).toEqual([
      {
        ...step,
        action_id: 'view',
        name: 'view',
        order: 0,
        count: 3,
        average_conversion_time: null,
        median_conversion_time: null,
      },
      {
        ...step,
        action_id: 'cart',
        name: 'cart',
        order: 1,
        count: 2,
        average_conversion_time: 7200,
        median_conversion_time: 7200,
      },
      {
        ...step,
        action_id: 'buy',
        name: 'buy',
        custom_name: 'Bought',
        order: 2,
        count: 1,
        average_conversion_time: 86_400,
        median_conversion_time: 86_400,
      },
    ])
  })

  test.each<[string, JsonObject, JsonObject, readonly number[]]>([
    ['a window', {}, { funnelWindowInterval: 23, funnelWindowIntervalUnit: 'hour' }, [3, 2, 0]],
    ['a strict order', {}, { funnelOrderType: 'strict' }, [3, 1, 1]],
    ['no order', {}, { funnelOrderType: 'unordered' }, [3, 3, 1]],
    ['an exclusion', {}, { exclusions: [{ event: 'help', funnelFromStep: 0, funnelToStep: 1 }] }, [3, 1, 1]],
    ['a longer range', { dateRange: { date_from: '-20d' } }, {}, [4, 2, 1]],
    ['filters', { properties: [{ key: 'distinct_id', value: 'ada', type: 'person', operator: 'exact' }] }, {}, [1, 1, 1]], // prettier-ignore
    [
      'filters of a step',
      { series: [{ event: 'view', properties: [{ key: 'plan', value: 'pro' }] }, { event: 'cart' }] },
      {},
      [1, 1],
    ],
    ['all events', { series: [{}, {}] }, {}, [3, 3]],
    ['first events', { series: [{ event: 'view', math: 'first_time_for_user' }, { event: 'cart' }], dateRange: { date_from: '-2d' } }, {}, [3, 2]], // prettier-ignore
    [
      'first events whose filters do not match',
      {
        series: [
          { event: 'view', math: 'first_time_for_user', properties: [{ key: 'plan', value: 'pro' }] },
          { event: 'cart' },
        ],
      },
      {},
      [1, 1],
    ],
    [
      'first events that match filters',
      {
        series: [
          { math: 'first_time_for_user_with_filters', properties: [{ key: 'plan', value: 'free' }] },
          { event: 'buy' },
        ],
      },
      {},
      [2, 1],
    ],
    [
      'optional steps',
      { series: [{ event: 'view' }, { event: 'help', optionalInFunnel: true }, { event: 'cart' }] },
      {},
      [3, 1, 2],
    ],
  ])('respects %s', async (_, fields, filter, counts) => {
    expect(countsOf(await ask(funnel(fields, filter)))).toEqual(counts)
  })

  test('names the steps of a funnel without an order by their number', async () => {
    const steps = await ask(funnel({}, { funnelOrderType: 'unordered' }))
    expect(steps.map(({ name, action_id }: JsonObject) => [name, action_id])).toEqual([
      ['Completed 1 step', null],
      ['Completed 2 steps', null],
      ['Completed 3 steps', null],
    ])
  })

  test('counts groups instead of persons', async () => {
    const groups = { company: 'acme' }
    const { request, ask: send } = await openInsights(
      [
        worldEvent({ event: 'view', distinctId: 'ada', timestamp: TODAY, groups }),
        worldEvent({ event: 'cart', distinctId: 'bob', timestamp: TODAY + 1, groups }),
        worldEvent({ event: 'view', distinctId: 'eve', timestamp: TODAY }),
      ],
      NOW,
    )
    await request('POST', 'groups_types/', { group_type: 'company' })
    const { body } = await send(funnel({ aggregation_group_type_index: 0 }))
    expect(countsOf(body.results)).toEqual([1, 1, 0])
  })

  describe('with a breakdown', () => {
    const breakdownFilter = { breakdown: 'plan', breakdown_type: 'event' }
    const groupsOf = (groups: readonly (readonly JsonObject[])[]) =>
      groups.map((steps) => [steps[0]!['breakdown_value'], ...countsOf(steps)])
    const MISSING = '$$_posthog_breakdown_null_$$'
    const OTHER = '$$_posthog_breakdown_other_$$'

    test.each<[string, JsonObject, readonly unknown[]]>([
      ['the first event with a value', {}, [['free', 1, 1, 0], [MISSING, 1, 0, 0], ['pro', 1, 1, 1]]], // prettier-ignore
      ['the last event with a value', { breakdownAttributionType: 'last_touch' }, [['free', 2, 2, 1], [MISSING, 1, 0, 0]]], // prettier-ignore
      ['each event', { breakdownAttributionType: 'all_events' }, [['free', 1, 0, 0], [MISSING, 1, 0, 0], ['pro', 1, 0, 0]]], // prettier-ignore
      ['a step', { breakdownAttributionType: 'step', breakdownAttributionValue: 1 }, [['free', 1, 1, 1], [MISSING, 1, 1, 0]]], // prettier-ignore
    ])('takes the value of %s', async (_, filter, groups) => {
      const results = groupsOf(await ask(funnel({ breakdownFilter }, filter)))
      expect(results).toHaveLength(groups.length)
      expect(results).toEqual(expect.arrayContaining([...groups]))
    })

    test('has a group of the others', async () => {
      const limited = { ...breakdownFilter, breakdown_limit: 1 }
      expect(groupsOf(await ask(funnel({ breakdownFilter: limited })))).toEqual([
        ['free', 1, 1, 0],
        [OTHER, 2, 1, 1],
      ])
      const hidden = { ...limited, breakdown_hide_other_aggregation: true }
      expect(groupsOf(await ask(funnel({ breakdownFilter: hidden })))).toEqual([['free', 1, 1, 0]])
    })

    test('divides numbers into bins', async () => {
      const price = (distinctId: string, name: string, value: number) => event(distinctId, name, 0, 1, { price: value })
      const { ask: send } = await openInsights(
        [
          price('ada', 'view', 0),
          price('ada', 'cart', 3),
          price('bob', 'view', 6),
          price('eve', 'view', 10),
          price('eve', 'help', 99),
        ],
        NOW,
      )
      const bins = { breakdown: 'price', breakdown_histogram_bin_count: 2 }
      const query = funnel({ breakdownFilter: bins })
      expect(groupsOf((await send(query)).body.results)).toEqual([
        ['[5,10]', 2, 0, 0],
        ['[0,5]', 1, 1, 0],
      ])
      const source = { kind: 'FunnelsActorsQuery', source: query, funnelStep: 1, funnelStepBreakdown: '[5,10]' }
      expect((await send({ kind: 'ActorsQuery', source })).body.missing_actors_count).toBe(2)
    })

    test('divides by cohorts', async () => {
      const { request, ask: send } = await open()
      const values = [{ key: 'distinct_id', value: 'ada', type: 'person', operator: 'exact' }]
      const filters = { properties: { type: 'OR', values: [{ type: 'AND', values }] } }
      const { body: cohort } = await request('POST', 'cohorts/', { name: 'Ada', filters })
      const { body } = await send(
        funnel({ breakdownFilter: { breakdown: [cohort.id, 'all'], breakdown_type: 'cohort' } }),
      )
      expect(groupsOf(body.results)).toEqual([
        [cohort.id, 1, 1, 1],
        ['all', 3, 2, 1],
      ])
    })
  })

  test('has the times of conversions in bins', async () => {
    const times = { funnelVizType: 'time_to_convert', funnelFromStep: 0, funnelToStep: 1 }
    expect(await ask(funnel({}, { ...times, binCount: 2 }))).toEqual({
      bins: [
        [3600, 1],
        [7200, 1],
      ],
      average_conversion_time: 7200,
    })
    expect(await ask(funnel({ series: [{ event: 'buy' }, { event: 'view' }] }, { funnelVizType: 'time_to_convert' }))).toEqual({ bins: [], average_conversion_time: null }) // prettier-ignore
  })

  test('has the percentage that converts of each day', async () => {
    expect(await ask(funnel({}, { funnelVizType: 'trends' }))).toEqual([
      {
        count: 3,
        data: [50, 0, 0],
        days: ['2026-01-13', '2026-01-14', '2026-01-15'],
        labels: ['13-Jan-2026', '14-Jan-2026', '15-Jan-2026'],
      },
    ])
    const [month] = await ask(funnel({ interval: 'month' }, { funnelVizType: 'trends', funnelToStep: 1 }))
    expect(month.data).toEqual([66.67])
    const groups = await ask(funnel({ breakdownFilter: { breakdown: 'plan' } }, { funnelVizType: 'trends' }))
    expect(groups.find((each: JsonObject) => each['breakdown_value'] === 'pro').data).toEqual([100, 0, 0])
  })

  test('is empty without events', async () => {
    const { ask: send } = await openInsights([], NOW)
    const { body } = await send(funnel({ dateRange: { date_from: 'all' } }))
    expect(countsOf(body.results)).toEqual([0, 0, 0])
    const divided = await send(funnel({ breakdownFilter: { breakdown: 'plan' } }))
    expect(divided.body.results).toEqual([])
  })

  test.each<[string, JsonObject, JsonObject, string]>([
    ['a single step', { series: [{}] }, {}, 'query.series'],
    ['too many steps', { series: Array.from({ length: 13 }, () => ({})) }, {}, 'query.series'],
    ['an optional first step', { series: [{ optionalInFunnel: true }, {}] }, {}, 'query.series[0].optionalInFunnel must be false: a conversion begins with the first step'], // prettier-ignore
    ['an optional step without an order', { series: [{}, { optionalInFunnel: true }] }, { funnelOrderType: 'unordered' }, 'query.series[1].optionalInFunnel must be false in an unordered funnel'], // prettier-ignore
    ['math', { series: [{ math: 'dau' }, {}] }, {}, 'query.series[0].math must be one of total, first_time_for_user'],
    ['a computed actor', {}, { funnelAggregateByHogQL: 'properties.x' }, 'funnelAggregateByHogQL must be empty'],
    ['an unknown view', {}, { funnelVizType: 'flow' }, 'funnelVizType'],
    ['an unknown order', {}, { funnelOrderType: 'random' }, 'funnelOrderType'],
    ['a window of nothing', {}, { funnelWindowInterval: 0 }, 'funnelWindowInterval'],
    ['an exclusion without steps', {}, { exclusions: [{ event: 'help' }] }, 'funnelFromStep'],
    [
      'an exclusion after the last step',
      {},
      { exclusions: [{ event: 'help', funnelFromStep: 0, funnelToStep: 3 }] },
      'exclusions[0].funnelToStep must be at most 2, the last step',
    ],
    [
      'steps the wrong way round',
      {},
      { funnelVizType: 'trends', funnelFromStep: 2, funnelToStep: 1 },
      'funnelsFilter.funnelFromStep must be less than the last step, 1',
    ],
    [
      'a value of a step that does not exist',
      { breakdownFilter: { breakdown: 'plan' } },
      { breakdownAttributionType: 'step', breakdownAttributionValue: 3 },
      'breakdownAttributionValue must be at most 2',
    ],
    [
      'a breakdown of times',
      { breakdownFilter: { breakdown: 'plan' } },
      { funnelVizType: 'time_to_convert' },
      'query.breakdownFilter must be empty for the times of conversions',
    ],
    [
      'more steps than fit in a long range',
      { series: Array.from({ length: 12 }, () => ({})), dateRange: { date_from: '1990-01-01' } },
      { exclusions: Array.from({ length: 8 }, () => ({ funnelFromStep: 0, funnelToStep: 1 })) },
      'must have fewer steps and exclusions, or a shorter range of dates',
    ],
    ['a wrong filter of a step', { series: [{ properties: [{ key: 1 }] }, {}] }, {}, 'query.series[0].properties[0].key'], // prettier-ignore
  ])('refuses %s', (_, fields, filter, message) => expectRefusal(funnel(fields, filter), message))
})
