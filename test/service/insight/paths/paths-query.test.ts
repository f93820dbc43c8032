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
    ['paths of a funnel', { funnelPathsFilter: { funnelPathType: 'x' } }, 'query.funnelPathsFilter must be null'],
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
