import { describe, expect, test } from 'vitest'
import type { JsonObject } from '../../../../src/wire/json.ts'
import { worldEvent } from '../../../contract/questions/world.ts'
import { createInsightTestBed } from '../../support/insights.ts'

const MINUTE_MS = 60_000
const NOW = Date.UTC(2026, 0, 15, 12)
const NOON = Date.UTC(2026, 0, 14, 12)

const view = (distinctId: string, minute: number, url: string) =>
  worldEvent({
    event: '$pageview',
    distinctId,
    timestamp: NOON + minute * MINUTE_MS,
    properties: { $current_url: `https://x.example${url}` },
  })

const EVENTS = [
  view('ada', 0, '/'),
  view('ada', 1, '/prices'),
  view('ada', 3, '/item/12'),
  worldEvent({ event: 'buy', distinctId: 'ada', timestamp: NOON + 4 * MINUTE_MS }),
  view('bob', 10, ''),
  view('bob', 12, '/prices/'),
  view('bob', 13, '/item/7'),
  worldEvent({
    event: '$screen',
    distinctId: 'eve',
    timestamp: NOON,
    properties: { $screen_name: 'Home' },
  }),
  worldEvent({ event: 'start', distinctId: 'eve', timestamp: NOON + MINUTE_MS }),
]

const HOME = 'https://x.example'

const { ask: askQuery, expectRefusal } = createInsightTestBed(EVENTS, NOW)

const paths = (pathsFilter: JsonObject = {}, fields: JsonObject = {}): JsonObject => ({
  kind: 'PathsQuery',
  pathsFilter,
  dateRange: { date_from: '-3d' },
  ...fields,
})

const ask = (pathsFilter?: JsonObject, fields?: JsonObject) => askQuery(paths(pathsFilter, fields))

/** Source, target and value of each edge. */
const edgesOf = async (pathsFilter?: JsonObject, fields?: JsonObject): Promise<unknown> =>
  (await ask(pathsFilter, fields)).results.map(({ source, target, value }: JsonObject) => [source, target, value])

const FUNNEL: JsonObject = {
  kind: 'FunnelsQuery',
  series: [
    { event: '$pageview', properties: [{ key: '$current_url', operator: 'icontains', value: '/prices' }] },
    { event: 'buy' },
  ],
  dateRange: { date_from: '-3d' },
}
const AFTER: JsonObject = { funnelPathType: 'funnel_path_after_step', funnelSource: FUNNEL }

describe('a query of paths', () => {
  test('has the ways from page to page, screen and event', async () => {
    const body = await ask()
    expect(body).toMatchObject({ timezone: 'UTC', is_cached: false })
    expect(body.results).toEqual([
      {
        source: `1_${HOME}`,
        target: `2_${HOME}/prices`,
        value: 2,
        average_conversion_time: 1.5 * MINUTE_MS,
      },
      { source: '1_Home', target: '2_start', value: 1, average_conversion_time: MINUTE_MS },
      {
        source: `2_${HOME}/prices`,
        target: `3_${HOME}/item/12`,
        value: 1,
        average_conversion_time: 2 * MINUTE_MS,
      },
      { source: `2_${HOME}/prices`, target: `3_${HOME}/item/7`, value: 1, average_conversion_time: MINUTE_MS },
      { source: `3_${HOME}/item/12`, target: '4_buy', value: 1, average_conversion_time: MINUTE_MS },
    ])
  })

  test('has only the types of events that are included', async () => {
    expect(await edgesOf({ includeEventTypes: ['$screen', 'custom_event'] })).toEqual([['1_Home', '2_start', 1]])
    expect(await edgesOf({ includeEventTypes: ['$screen'] })).toEqual([])
  })

  test('joins similar items, and leaves out others', async () => {
    const replaced = { includeEventTypes: ['$pageview'], pathReplacements: true, stepLimit: 3 }
    expect(await edgesOf(replaced)).toEqual([
      [`1_${HOME}`, `2_${HOME}/prices`, 2],
      [`2_${HOME}/prices`, `3_${HOME}/item/:id`, 2],
    ])
    const grouped = { pathGroupings: ['*/item/*'], excludeEvents: [`${HOME}/prices`, 'start'] }
    expect(await edgesOf(grouped)).toEqual([
      [`1_${HOME}`, '2_*/item/*', 2],
      ['2_*/item/*', '3_buy', 1],
    ])
  })

  test('begins and ends where the query says', async () => {
    expect(await edgesOf({ startPoint: `${HOME}/item/12` })).toEqual([[`1_${HOME}/item/12`, '2_buy', 1]])
    expect(await edgesOf({ endPoint: 'buy', stepLimit: 2 })).toEqual([[`1_${HOME}/item/12`, '2_buy', 1]])
    expect(await edgesOf({ startPoint: 'Home', endPoint: 'start' })).toEqual([['1_Home', '2_start', 1]])
  })

  test('takes a page with and without a slash at its end as the same', async () => {
    const bought = [[`1_${HOME}/item/12`, '2_buy', 1]]
    expect(await edgesOf({ startPoint: `${HOME}/item/12/` })).toEqual(bought)
    expect(await edgesOf({ startPoint: `${HOME}/`, endPoint: `${HOME}/prices/` })).toEqual([
      [`1_${HOME}`, `2_${HOME}/prices`, 2],
    ])
    expect(await edgesOf({ startPoint: `${HOME}/item/12`, excludeEvents: [`${HOME}/prices/`] })).toEqual(bought)
    const without = await edgesOf({ excludeEvents: [`${HOME}/prices/`] })
    expect(JSON.stringify(without)).not.toContain('/prices')
  })

  test('has the paths around a step of a funnel, in the range of the funnel', async () => {
    const around = (filter: JsonObject): Promise<unknown> =>
      edgesOf({}, { dateRange: null, funnelPathsFilter: { ...AFTER, ...filter } })
    const [prices, item] = [`${HOME}/prices`, `${HOME}/item/12`]
    expect(await around({ funnelStep: 1 })).toEqual([
      [`1_${prices}`, `2_${item}`, 1],
      [`1_${prices}`, `2_${HOME}/item/7`, 1],
      [`2_${item}`, '3_buy', 1],
    ])
    expect(await around({ funnelStep: -2 })).toEqual([[`1_${prices}`, `2_${HOME}/item/7`, 1]])
    const between = { funnelPathType: 'funnel_path_between_steps' }
    const bought = [
      [`1_${prices}`, `2_${item}`, 1],
      [`2_${item}`, '3_buy', 1],
    ]
    // The last step is meant.
    expect(await around(between)).toEqual(bought)
    expect(await around({ funnelPathType: 'funnel_path_before_step' })).toEqual([
      [`1_${HOME}`, `2_${prices}`, 1],
      [`2_${prices}`, `3_${item}`, 1],
      [`3_${item}`, '4_buy', 1],
    ])
    const early = { ...FUNNEL, dateRange: { date_from: '2026-01-01', date_to: '2026-01-02' } }
    expect(await around({ funnelSource: early })).toEqual([])
  })

  test('lends its dates to a funnel without dates', async () => {
    const later = createInsightTestBed(EVENTS, NOW + 30 * 24 * 60 * MINUTE_MS)
    const between = { funnelPathType: 'funnel_path_between_steps' }
    const noDates: JsonObject[] = [{}, { date_from: null, date_to: null }]
    for (const dates of [null, ...noDates]) {
      const funnelPathsFilter = { ...between, funnelSource: { ...FUNNEL, dateRange: dates } }
      const dateRange = { date_from: '2026-01-12', date_to: '2026-01-15' }
      const { results } = await later.ask(paths({}, { dateRange, funnelPathsFilter }))
      expect(results).toHaveLength(2)
    }
  })

  test('has only the edges within its limits', async () => {
    expect(await edgesOf({ minEdgeWeight: 2 })).toEqual([[`1_${HOME}`, `2_${HOME}/prices`, 2]])
    expect(await edgesOf({ maxEdgeWeight: 1, edgeLimit: 1 })).toEqual([['1_Home', '2_start', 1]])
  })

  test('applies filters and dates', async () => {
    const properties = [{ key: 'distinct_id', type: 'event_metadata', operator: 'exact', value: 'eve' }]
    expect(await edgesOf({}, { properties })).toEqual([['1_Home', '2_start', 1]])
    expect(await edgesOf({}, { dateRange: { date_from: '2026-01-15' } })).toEqual([])
  })

  test.each<[string, JsonObject, string]>([
    ['no filter of paths', { pathsFilter: null }, '"query.pathsFilter" must be a JSON object'],
    [
      'expressions of HogQL',
      { pathsFilter: { includeEventTypes: ['hogql'] } },
      '"query.pathsFilter.includeEventTypes[0]" must be one of "$pageview", "$screen", "custom_event"',
    ],
    [
      'an expression for items',
      { pathsFilter: { pathsHogQLExpression: 'event' } },
      'query.pathsFilter.pathsHogQLExpression must be null',
    ],
    ['an unknown part of a funnel', { funnelPathsFilter: { ...AFTER, funnelPathType: 'x' } }, '"query.funnelPathsFilter.funnelPathType" must be one of "funnel_path_before_step"'], // prettier-ignore
    ['no funnel', { funnelPathsFilter: { funnelPathType: 'funnel_path_after_step' } }, '"query.funnelPathsFilter.funnelSource" is missing'], // prettier-ignore
    ['a step that the funnel does not have', { funnelPathsFilter: { ...AFTER, funnelStep: 3 } }, 'query.funnelPathsFilter.funnelStep must be from 1 to 2'], // prettier-ignore
    ['what is before the first step', { funnelPathsFilter: { ...AFTER, funnelPathType: 'funnel_path_between_steps', funnelStep: 1 } }, 'query.funnelPathsFilter.funnelStep must be at least 2 for paths between two steps'], // prettier-ignore
    ['paths between a step and none', { funnelPathsFilter: { ...AFTER, funnelPathType: 'funnel_path_between_steps', funnelStep: -2 } }, 'query.funnelPathsFilter.funnelStep must be at least 2 for paths between two steps'], // prettier-ignore
    ['a mistake in the funnel', { funnelPathsFilter: { ...AFTER, funnelSource: { ...FUNNEL, series: [{}, { math: 'dau' }] } } }, 'query.funnelPathsFilter.funnelSource.series[1].math must be'], // prettier-ignore
    ['groups that the funnel does not count', { funnelPathsFilter: AFTER, aggregation_group_type_index: 0 }, 'query.aggregation_group_type_index'], // prettier-ignore
    ['one step', { pathsFilter: { stepLimit: 1 } }, '"query.pathsFilter.stepLimit" must be'],
    ['too many steps', { pathsFilter: { stepLimit: 21 } }, '"query.pathsFilter.stepLimit" must be'],
    ['no types of events', { pathsFilter: { includeEventTypes: [] } }, '"query.pathsFilter.includeEventTypes" must'],
    [
      'weights that no edge has',
      { pathsFilter: { minEdgeWeight: 3, maxEdgeWeight: 2 } },
      'query.pathsFilter.minEdgeWeight must not be greater than "maxEdgeWeight"',
    ],
  ])('refuses %s', (_, fields, message) => expectRefusal(paths({}, fields), message))
})
