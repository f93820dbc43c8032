import { describe, test } from 'vitest'
import type { JsonObject } from '../../../src/wire/json.ts'
import { createInsightTestBed } from '../support/insights.ts'

const { expectRefusal } = createInsightTestBed([], Date.UTC(2026, 0, 15, 12))

/** A query of each kind that is answered as it is. */
const QUERIES: Readonly<Record<string, JsonObject>> = {
  TrendsQuery: { series: [{}] },
  StickinessQuery: { series: [{}] },
  LifecycleQuery: { series: [{}] },
  FunnelsQuery: { series: [{}, {}] },
  RetentionQuery: { retentionFilter: {} },
  PathsQuery: { pathsFilter: {} },
}
const ALL = Object.keys(QUERIES)
/** A query of retention has as many periods before the end date as it asks for. */
const OF_RANGES = ALL.filter((kind) => kind !== 'RetentionQuery')
const OF_SERIES = ['TrendsQuery', 'StickinessQuery', 'LifecycleQuery', 'FunnelsQuery']
const OF_PERIODS = ['TrendsQuery', 'StickinessQuery', 'LifecycleQuery']
const OF_GROUPED_ACTORS = ['LifecycleQuery', 'FunnelsQuery', 'RetentionQuery', 'PathsQuery']

/** What is wrong, in which kinds of queries, in which fields, and what the error says. */
const REFUSALS: readonly (readonly [what: string, kinds: readonly string[], fields: JsonObject, message: string])[] = [
  ['no series', OF_SERIES, { series: [] }, '"query.series" must be an array of'],
  [
    'an action',
    OF_SERIES,
    { series: [{ kind: 'ActionsNode', id: 1 }, {}] },
    '"query.series[0].kind" must be one of "EventsNode"',
  ],
  ['an unknown interval', OF_PERIODS, { interval: 'year' }, '"query.interval" must be one of "minute", "hour"'],
  [
    'too many periods',
    OF_PERIODS,
    { interval: 'minute', dateRange: { date_from: '-60d' } },
    'query.interval is too short: the range of dates',
  ],
  [
    'a wrong start date',
    OF_RANGES,
    { dateRange: { date_from: 'soon' } },
    'query.dateRange.date_from must be an ISO 8601 date',
  ],
  ['a wrong end date', ALL, { dateRange: { date_to: 'soon' } }, 'query.dateRange.date_to must be an ISO 8601 date'],
  [
    'a range that ends before it begins',
    OF_RANGES,
    { dateRange: { date_from: '2026-01-02', date_to: '2026-01-01' } },
    'ends before it begins',
  ],
  [
    'a wrong filter',
    ALL,
    { properties: [{ key: 'a', operator: 'like', value: 1 }] },
    'query.properties[0].operator must be one of',
  ],
  [
    'groups of an unknown type',
    OF_GROUPED_ACTORS,
    { aggregation_group_type_index: 2 },
    'this project has no group types',
  ],
  [
    'groups of an unknown type in a series',
    ['TrendsQuery', 'StickinessQuery'],
    { series: [{ math: 'unique_group' }] },
    'this project has no group types',
  ],
]

describe.each(REFUSALS)('%s', (_, kinds, fields, message) => {
  test.each(kinds)('is refused in a %s', (kind) => expectRefusal({ kind, ...QUERIES[kind], ...fields }, message))
})
