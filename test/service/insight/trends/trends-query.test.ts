import { describe, expect, test } from 'vitest'
import type { JsonObject } from '../../../../src/wire/json.ts'
import { worldEvent } from '../../../contract/questions/world.ts'
import { createInsightTestBed, openInsights } from '../../support/insights.ts'

const DAY_MS = 86_400_000
const HOUR_MS = 3_600_000
/** A Thursday. */
const NOW = Date.UTC(2026, 0, 15, 12)
const TODAY = Date.UTC(2026, 0, 15)

const event = (name: string, daysAgo: number, properties: JsonObject = {}, distinctId = 'ada') =>
  worldEvent({ event: name, distinctId, timestamp: TODAY - daysAgo * DAY_MS + HOUR_MS, properties })

const EVENTS = [
  event('view', 0, { $browser: 'Firefox' }),
  event('view', 0, { $browser: 'Chrome' }, 'bob'),
  event('view', 1, { $browser: 'Chrome' }),
  event('view', 3, { $browser: 'Safari' }, 'eve'),
  event('buy', 0, { price: 10 }),
  event('buy', 3, { price: '5' }, 'eve'),
  event('view', 9, {}, 'old'),
]

const trends = (fields: JsonObject = {}): JsonObject => ({
  kind: 'TrendsQuery',
  series: [{ kind: 'EventsNode', event: 'view' }],
  dateRange: { date_from: '-3d' },
  ...fields,
})

const { open, ask, expectRefusal } = createInsightTestBed(EVENTS, NOW)

describe('a query of trends', () => {
  test('has a number for each day, today included', async () => {
    const body = await ask(trends())
    expect(body).toMatchObject({ timezone: 'UTC', is_cached: false, last_refresh: '2026-01-15T12:00:00.000Z' })
    expect(body.query_status).toMatchObject({ complete: true, error: false })
    expect(body.results).toEqual([
      {
        action: {
          id: 'view',
          type: 'events',
          order: 0,
          name: 'view',
          custom_name: null,
          math: null,
          math_property: null,
          math_hogql: null,
          math_group_type_index: null,
          properties: [],
          days: ['2026-01-12', '2026-01-13', '2026-01-14', '2026-01-15'],
        },
        label: 'view',
        data: [1, 0, 1, 2],
        days: ['2026-01-12', '2026-01-13', '2026-01-14', '2026-01-15'],
        labels: ['12-Jan-2026', '13-Jan-2026', '14-Jan-2026', '15-Jan-2026'],
        count: 4,
      },
    ])
  })

  test('is about the last seven days by default, and about all events without a name', async () => {
    const { results } = await ask({ kind: 'TrendsQuery', series: [{}] })
    expect(results[0]).toMatchObject({ label: 'All events', data: [0, 0, 0, 0, 2, 0, 1, 3] })
  })

  test.each<[string, JsonObject, readonly number[]]>([
    ['persons', { math: 'dau' }, [1, 0, 1, 2]],
    ['persons of a week', { math: 'weekly_active' }, [2, 1, 2, 3]],
    ['sums', { event: 'buy', math: 'sum', math_property: 'price' }, [5, 0, 0, 10]],
    ['averages per person', { math: 'avg_count_per_actor' }, [1, 0, 1, 1]],
    ['first times', { math: 'first_time_for_user' }, [1, 0, 1, 1]],
    [
      'filtered events',
      { properties: [{ key: '$browser', value: ['Chrome'], operator: 'exact', type: 'event' }] },
      [0, 0, 1, 1],
    ],
  ])('measures %s', async (_, node, data) => {
    const { results } = await ask(trends({ series: [{ kind: 'EventsNode', event: 'view', ...node }] }))
    expect(results[0].data).toEqual(data)
  })

  test('has a series for each frequent value of a property, and one for the others', async () => {
    const query = trends({ breakdownFilter: { breakdown: '$browser', breakdown_limit: 1 } })
    const { results } = await ask(query)
    expect(results.map(({ label, breakdown_value, data }: JsonObject) => [label, breakdown_value, data])).toEqual([
      ['Chrome', 'Chrome', [0, 0, 1, 1]],
      ['Other', '$$_posthog_breakdown_other_$$', [1, 0, 0, 1]],
    ])
    const hidden = await ask(
      trends({
        breakdownFilter: {
          breakdowns: [{ property: '$browser' }],
          breakdown_limit: 1,
          breakdown_hide_other_aggregation: true,
        },
      }),
    )
    expect(hidden.results).toHaveLength(1)
  })

  test('names events without the property', async () => {
    const { results } = await ask(
      trends({ series: [{ event: 'view' }, { event: 'buy' }], breakdownFilter: { breakdown: 'price' } }),
    )
    expect(results.map(({ label, breakdown_value }: JsonObject) => [label, breakdown_value])).toEqual([
      ['view - none', '$$_posthog_breakdown_null_$$'],
      ['buy - 10', '10'],
      ['buy - 5', '5'],
    ])
  })

  test('divides by cohorts', async () => {
    const { request, ask: send } = await open()
    const filters = {
      properties: {
        type: 'OR',
        values: [{ type: 'AND', values: [{ key: 'distinct_id', value: 'ada', type: 'person', operator: 'exact' }] }],
      },
    }
    const { body: cohort } = await request('POST', 'cohorts/', { name: 'Ada', filters })
    const { body } = await send(
      trends({ breakdownFilter: { breakdown: [cohort.id, 'all'], breakdown_type: 'cohort' } }),
    )
    expect(body.results.map(({ breakdown_value, data }: JsonObject) => [breakdown_value, data])).toEqual([
      [cohort.id, [0, 0, 1, 1]],
      ['all', [1, 0, 1, 2]],
    ])
  })

  test('computes formulas of its series', async () => {
    const query = trends({
      series: [{ event: 'buy' }, { event: 'view' }],
      trendsFilter: { formulaNodes: [{ formula: '(A + B) * 10', custom_name: 'Ten' }, { formula: 'A / B' }] },
    })
    const { results } = await ask(query)
    expect(results.map(({ label, data, action }: JsonObject) => [label, data, action])).toEqual([
      ['Ten', [20, 0, 10, 30], null],
      ['Formula (A / B)', [1, 0, 0, 0.5], null],
    ])
  })

  test('compares with the period before, and with an earlier one', async () => {
    const { results } = await ask(trends({ compareFilter: { compare: true }, dateRange: { date_from: '-1d' } }))
    expect(results.map(({ compare_label, data, days }: JsonObject) => [compare_label, data, days])).toEqual([
      ['current', [1, 2], ['2026-01-14', '2026-01-15']],
      ['previous', [1, 0], ['2026-01-12', '2026-01-13']],
    ])
    const earlier = await ask(
      trends({ compareFilter: { compare: true, compare_to: '-9d' }, dateRange: { date_from: 'dStart' } }),
    )
    expect(earlier.results[1]).toMatchObject({ compare_label: 'previous', data: [1], days: ['2026-01-06'] })
  })

  test('smooths and accumulates', async () => {
    const smoothed = await ask(trends({ trendsFilter: { smoothingIntervals: 2 } }))
    expect(smoothed.results[0].data).toEqual([1, 0.5, 0.5, 1.5])
    const accumulated = await ask(
      trends({ series: [{ event: 'view', math: 'dau' }], trendsFilter: { display: 'ActionsLineGraphCumulative' } }),
    )
    expect(accumulated.results[0].data).toEqual([1, 1, 2, 3])
  })

  test('adds up only what can be added up, and before formulas', async () => {
    const maths = ['total', 'avg', 'sum', 'max', 'p90'].map((math) => ({ event: 'buy', math, math_property: 'price' }))
    const series = [...maths, { event: 'view', math: 'avg_count_per_actor' }, { event: 'view', math: 'weekly_active' }]
    const cumulative = (fields: JsonObject) =>
      ask(trends({ series, trendsFilter: { display: 'ActionsLineGraphCumulative', ...fields } }))
    expect((await cumulative({})).results.map(({ data }: JsonObject) => data)).toEqual([
      [1, 1, 1, 2],
      [5, 0, 0, 10],
      [5, 5, 5, 15],
      [5, 0, 0, 10],
      [5, 0, 0, 10],
      [1, 0, 1, 1],
      [2, 1, 2, 3],
    ])
    const [ratio] = (await cumulative({ formula: 'C / A' })).results
    expect(ratio.data).toEqual([5, 5, 5, 7.5])
    const [smoothed] = (await cumulative({ smoothingIntervals: 2 })).results
    expect(smoothed.data).toEqual([1, 1, 1, 1.5])
  })

  describe('of several series with a breakdown', () => {
    const of = (event: string, plan: string, count: number, daysAgo = 0) =>
      Array.from({ length: count }, (_, index) =>
        worldEvent({ event, distinctId: 'ada', timestamp: TODAY - daysAgo * DAY_MS + index, properties: { plan } }),
      )
    const divided = async (fields: JsonObject, breakdown_limit = 1) => {
      const { ask: send } = await openInsights(
        [...of('view', 'pro', 5), ...of('view', 'free', 2), ...of('buy', 'pro', 1), ...of('buy', 'free', 3), ...of('view', 'free', 9, 1), ...of('view', 'pro', 1, 1)], // prettier-ignore
        NOW,
      )
      const series = [{ event: 'view' }, { event: 'buy' }]
      const breakdownFilter = { breakdown: 'plan', breakdown_limit }
      const { status, body } = await send(trends({ series, breakdownFilter, dateRange: { date_from: 'dStart' }, ...fields })) // prettier-ignore
      expect({ status, body }).toMatchObject({ status: 200 })
      return body.results.map(({ label, data }: JsonObject) => [label, data])
    }

    test('has the same values in all of them', async () => {
      expect(await divided({})).toEqual([
        ['view - pro', [5]],
        ['view - Other', [2]],
        ['buy - pro', [1]],
        ['buy - Other', [3]],
      ])
    })

    test('computes formulas of the same values', async () => {
      const trendsFilter = { formula: 'B / A' }
      expect(await divided({ trendsFilter })).toEqual([
        ['pro', [0.2]],
        ['Other', [1.5]],
      ])
      expect(await divided({ trendsFilter }, 2)).toEqual([
        ['pro', [0.2]],
        ['free', [1.5]],
      ])
    })

    test('compares the same values', async () => {
      const compared = await divided({ series: [{ event: 'view' }], compareFilter: { compare: true } })
      expect(compared).toEqual([
        ['pro', [5]],
        ['Other', [2]],
        ['pro', [1]],
        ['Other', [9]],
      ])
    })
  })

  test('divides by long values, and has as many windows and months as there may be', async () => {
    const plans = Array.from({ length: 30 }, (_, index) => `${index} ${'x'.repeat(8000)}`)
    const { ask: send } = await openInsights(
      plans.map((plan, index) => event('view', 0, { plan }, `person ${index}`)),
      NOW,
    )
    const asked = (fields: JsonObject) =>
      send(trends({ series: [{ event: 'view', math: 'weekly_active' }], ...fields }))
    const long = await asked({ breakdownFilter: { breakdown: 'plan', breakdown_limit: 30 } })
    expect([long.status, long.body.results?.length]).toEqual([200, 30])
    const hours = await asked({ interval: 'hour', dateRange: { date_from: '-400d' } })
    expect([hours.status, hours.body.results?.[0].data.at(-1)]).toEqual([200, 30])
    const months = await asked({ interval: 'month', dateRange: { date_from: '1970-01-01' } })
    expect([months.status, months.body.results?.[0].data.at(-1)]).toEqual([200, 30])
    const centuries = await asked({ interval: 'month', dateRange: { date_from: '1500-01-01' } })
    expect([centuries.status, centuries.body.detail]).toEqual([400, expect.stringContaining('different lengths')])
  })

  test('begins with the first event since 2015 where it is of all time', async () => {
    const { ask: send } = await openInsights([event('view', 2), worldEvent({ event: 'view', timestamp: 0 })], NOW)
    const { body } = await send(trends({ dateRange: { date_from: 'all' } }))
    expect(body.results[0]).toMatchObject({ data: [1, 0, 0], days: ['2026-01-13', '2026-01-14', '2026-01-15'] })
  })

  test('is one number for a display of totals', async () => {
    const { results } = await ask(
      trends({ series: [{ event: 'view', math: 'dau' }], trendsFilter: { display: 'BoldNumber' } }),
    )
    expect(results[0]).toMatchObject({ data: [], days: [], labels: [], count: 0, aggregated_value: 3 })
  })

  test('has hours, weeks and months, of all time', async () => {
    const hours = await ask(trends({ interval: 'hour', dateRange: { date_from: 'dStart' } }))
    expect(hours.results[0].data).toEqual([0, 2, ...Array.from({ length: 11 }, () => 0)])
    expect(hours.results[0].days[1]).toBe('2026-01-15 01:00:00')
    expect(hours.results[0].labels[1]).toBe('15-Jan-2026 01:00')
    const weeks = await ask(trends({ interval: 'week', dateRange: { date_from: 'all' } }))
    expect(weeks.results[0]).toMatchObject({ data: [1, 4], days: ['2026-01-04', '2026-01-11'] })
    const months = await ask(
      trends({ interval: 'month', dateRange: { date_from: '2025-12-15', date_to: '2026-01-14' } }),
    )
    expect(months.results[0]).toMatchObject({ data: [0, 3], days: ['2025-12-01', '2026-01-01'] })
  })

  test('counts days and weeks as the project does', async () => {
    const { request, ask: send } = await open()
    const { status } = await request('PATCH', '', { timezone: 'America/New_York', week_start_day: 1 })
    expect(status).toBe(200)
    const { body } = await send(trends({ dateRange: { date_from: '-1d' } }))
    // One in the morning of a day in UTC is the evening before in New York.
    expect(body).toMatchObject({ timezone: 'America/New_York', results: [{ data: [2, 0] }] })
    const weeks = await send(
      trends({ interval: 'week', dateRange: { date_from: '2026-01-12', date_to: '2026-01-12' } }),
    )
    expect(weeks.body.results[0]).toMatchObject({ data: [0], days: ['2026-01-12'] })
  })

  test('leaves out internal users', async () => {
    const { request, ask: send } = await open()
    const filter = { key: 'distinct_id', type: 'event_metadata', operator: 'is_not', value: 'bob' }
    await request('PATCH', '', { test_account_filters: [filter] })
    const { body } = await send(trends({ filterTestAccounts: true }))
    expect(body.results[0].data).toEqual([1, 0, 1, 1])
  })

  test('is answered inside the nodes that show it, and as a job', async () => {
    const { request } = await open()
    const query = { kind: 'InsightVizNode', source: trends() }
    const { body } = await request('POST', 'query/', { query, refresh: 'async' })
    await expect
      .poll(async () => (await request('GET', `query/${body.query_status.id}/`)).body.query_status)
      .toMatchObject({ complete: true, error: false, results: { results: [{ data: [1, 0, 1, 2] }] } })
  })

  describe('with a breakdown by bins of numbers', () => {
    const price = (daysAgo: number, value: JsonObject['']) => event('sell', daysAgo, { price: value! })
    const SALES = [
      price(0, 0),
      price(0, '4.9'),
      price(1, 5),
      price(1, 10),
      price(2, 20),
      price(2, 'free'),
      price(2, null),
    ]
    const sales = (breakdownFilter: JsonObject, fields: JsonObject = {}): JsonObject =>
      trends({ series: [{ event: 'sell' }], breakdownFilter, ...fields })
    const linesOf = async (query: JsonObject): Promise<unknown> => {
      const { ask: send } = await openInsights(SALES, NOW)
      const { body } = await send(query)
      return body.results.map(({ breakdown_value: value, count }: JsonObject) => [value, count])
    }
    const MISSING = '$$_posthog_breakdown_null_$$'

    test('has a line for each bin, in the order of the numbers', async () => {
      expect(await linesOf(sales({ breakdown: 'price', breakdown_histogram_bin_count: 4 }))).toEqual([
        ['[0,5]', 2],
        ['[5,10]', 1],
        ['[10,15]', 1],
        ['[15,20]', 1],
        [MISSING, 2],
      ])
      const breakdowns: JsonObject[] = [
        { property: 'price', histogram_bin_count: 1 },
        { property: 'event', type: 'event_metadata' },
      ]
      expect(await linesOf(sales({ breakdowns }))).toEqual([
        [['[0,20]', 'sell'], 5],
        [[MISSING, 'sell'], 2],
      ])
    })

    test('has one bin for one number, and none without numbers', async () => {
      const filter = { breakdown: 'price', breakdown_histogram_bin_count: 4 }
      const is = (value: JsonObject[''], operator = 'exact') => ({
        properties: [{ key: 'price', value: value!, operator }],
      })
      expect(await linesOf(sales(filter, is(20)))).toEqual([['[20,20]', 1]])
      expect(await linesOf(sales(filter, is('free')))).toEqual([[MISSING, 1]])
    })

    test('has the same bins for both ranges of a comparison', async () => {
      const query = sales(
        { breakdown: 'price', breakdown_histogram_bin_count: 2 },
        { dateRange: { date_from: '-1d' }, compareFilter: { compare: true } },
      )
      // The greatest number is in the earlier range.
      expect(await linesOf(query)).toEqual([
        ['[0,10]', 3],
        ['[10,20]', 1],
        ['[10,20]', 1],
        [MISSING, 2],
      ])
    })

    test('has the persons of a bin', async () => {
      const { ask: send } = await openInsights(SALES, NOW)
      const source = sales({ breakdown: 'price', breakdown_histogram_bin_count: 4 })
      const personsOf = async (breakdown: string): Promise<unknown> => {
        const of = { kind: 'InsightActorsQuery', source, breakdown }
        return (await send({ kind: 'ActorsQuery', source: of })).body.missing_actors_count
      }
      expect(await personsOf('[15,20]')).toBe(1)
      expect(await personsOf('[21,25]')).toBe(0)
    })

    test('has the persons of a bin of an earlier answer', async () => {
      const prices = [0, 4, 5, 10].map((value, index) => event('sell', 0, { price: value }, `early-${index}`))
      const late = [10, 11, -3].map((value, index) => event('sell', 0, { price: value, late: true }, `late-${index}`))
      const { ask: send } = await openInsights([...prices, ...late], NOW)
      const personsOf = async (breakdown: JsonObject[''], ...lateValues: readonly number[]): Promise<unknown> => {
        const value = [0, 4, 5, 10, ...lateValues]
        const isArrived = [{ key: 'price', value, operator: 'exact' }]
        const price = { property: 'price', histogram_bin_count: 2 }
        const breakdowns = Array.isArray(breakdown) ? [price, { property: 'late' }] : [price]
        const source = sales({ breakdowns }, { properties: isArrived })
        const of = { kind: 'InsightActorsQuery', source, breakdown: breakdown! }
        const { body } = await send({ kind: 'ActorsQuery', source: of })
        return body.missing_actors_count ?? body.detail
      }
      expect([await personsOf('[0,5]'), await personsOf('[5,10]')]).toEqual([2, 3])
      // 11 is greater than all before, so that bins now end with 5.5 and 11.
      expect([await personsOf('[0,5]', 11), await personsOf('[5,10]', 11)]).toEqual([2, 3])
      // The least number is another one.
      expect([await personsOf('[0,5]', -3), await personsOf('[5,10]', -3)]).toEqual([2, 3])
      expect([await personsOf(['[5,10]', MISSING], 11), await personsOf(['[5,10]', 'true'], 11)]).toEqual([2, 1])
      expect(await personsOf(MISSING, 11)).toBe(0)
      expect(await personsOf('5', 11)).toContain('query.source.breakdown must have a bin as it is in the answer')
    })
  })

  describe('of a request with filters of its own', () => {
    const filters = { date_from: '-1d', properties: [{ key: '$browser', value: 'Chrome' }] }
    const send = async (query: JsonObject, override: JsonObject) =>
      (await open()).request('POST', 'query/', { query, filters_override: override })

    test('has their dates, and only what they match', async () => {
      const { body } = await send({ kind: 'InsightVizNode', source: trends() }, filters)
      expect(body.results[0].data).toEqual([1, 1])
      expect((await send(trends(), { breakdown_filter: null })).body.results[0].data).toEqual([1, 0, 1, 2])
      const source = { kind: 'InsightActorsQuery', source: trends() }
      expect((await send({ kind: 'ActorsQuery', source }, filters)).body.missing_actors_count).toBe(2)
    })

    test.each<[string, JsonObject, JsonObject, string]>([
      ['SQL', { kind: 'SQLQuery', query: 'select 1' }, filters, '"filters_override" must be empty'],
      ['dates of a list', { kind: 'EventsQuery', select: ['*'] }, filters, '"filters_override" must have no dates'],
      ['dates of all persons', { kind: 'ActorsQuery' }, filters, '"filters_override" must have no dates'],
      ['a breakdown', trends(), { breakdown_filter: { breakdown: 'plan' } }, '"filters_override.breakdown_filter" must be missing'], // prettier-ignore
      ['a wrong date', trends(), { date_from: 'soon' }, '"filters_override.date_from" must be'],
      ['dates the wrong way round', trends(), { date_from: '-1d', date_to: '-2d' }, '"filters_override.date_to" must not be before'], // prettier-ignore
      ['a wrong filter', trends(), { properties: [{ key: 'a', operator: 'like' }] }, '"filters_override.properties[0].operator" must be'], // prettier-ignore
    ])('refuses %s', async (_, query, override, message) => {
      const { status, body } = await send(query, override)
      expect([status, body.type]).toEqual([400, 'validation_error'])
      expect(body.detail).toContain(message)
    })
  })

  test('joins URLs that differ by what is at their end', async () => {
    const urls = ['/a', '/a/', '/a?', '/b', '/', '']
    const { ask: send } = await openInsights(
      urls.map((url) => event('view', 0, { url })),
      NOW,
    )
    const linesOf = async (breakdownFilter: JsonObject): Promise<unknown> =>
      (await send(trends({ breakdownFilter }))).body.results.map(({ breakdown_value: value, count }: JsonObject) => [
        value,
        count,
      ])
    expect(await linesOf({ breakdown: 'url', breakdown_normalize_url: true })).toEqual([
      ['/a', 3],
      ['/', 2],
      ['/b', 1],
    ])
    expect(await linesOf({ breakdowns: [{ property: 'url', normalize_url: true }] })).toHaveLength(3)
  })

  test.each<[string, JsonObject, string]>([
    ['too many bins', { breakdownFilter: { breakdown: 'a', breakdown_histogram_bin_count: 100 } }, '"query.breakdownFilter.breakdown_histogram_bin_count" must be'], // prettier-ignore
    ['bins of URLs', { breakdownFilter: { breakdown: 'a', breakdown_histogram_bin_count: 5, breakdown_normalize_url: true } }, 'query.breakdownFilter must have bins of numbers or normalized URLs, not both'], // prettier-ignore
    ['bins of cohorts', { breakdownFilter: { breakdown: [1], breakdown_type: 'cohort', breakdown_histogram_bin_count: 5 } }, 'query.breakdownFilter.breakdown_histogram_bin_count must be missing'], // prettier-ignore

    ['an unknown measure', { series: [{ math: 'mode' }] }, 'query.series[0].math must be one of total, dau'],
    ['a measure without its property', { series: [{ math: 'sum' }] }, 'query.series[0].math_property is missing'],
    [
      'a formula of too many series',
      { trendsFilter: { formula: 'A + B' } },
      'formula names "B", but the series are A to A',
    ],
    ['a formula that calls', { trendsFilter: { formula: 'alert(1)' } }, 'must have only numbers, letters of series'],
    ['a formula that ends early', { trendsFilter: { formula: 'A +' } }, 'query.trendsFilter.formula cannot be read'],
  ])('refuses %s', (_, fields, message) => expectRefusal(trends(fields), message))

  test('refuses more numbers than an answer may have', async () => {
    const { ask: send } = await open()
    const { status, body } = await send(
      trends({
        series: Array.from({ length: 26 }, () => ({})),
        interval: 'minute',
        dateRange: { date_from: '-5d' },
        breakdownFilter: { breakdown: 'a' },
      }),
    )
    expect([status, body.detail]).toEqual([400, expect.stringContaining('ask for fewer series, values or periods')])
  })

  test('refuses a query that is too large or nested too deeply', async () => {
    const { ask: send } = await open()
    const large = await send(trends({ more: 'x'.repeat(70_000) }))
    expect([large.status, large.body.detail]).toEqual([400, '"query" must be at most 65536 bytes of JSON.'])
    let nested: JsonObject = {}
    for (let level = 0; level < 500; level++) nested = { values: [nested] }
    const deep = await send(trends({ properties: nested }))
    expect([deep.status, deep.body.detail]).toEqual([400, '"query" is nested in more than 64 levels.'])
  })

  test('names the kinds when it is of an unknown one', async () => {
    const { ask: send } = await open()
    const { status, body } = await send({ kind: 'MagicQuery' })
    expect([status, body.code]).toEqual([400, 'unknown_query_kind'])
    expect(body.detail).toContain('TrendsQuery')
  })
})
