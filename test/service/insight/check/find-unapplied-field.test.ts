import { describe, expect, it } from 'vitest'
import { findUnappliedField } from '../../../../src/service/insight/check/find-unapplied-field.ts'
import { namedSchemas } from '../../../../src/service/management/schema/named-schemas.ts'
import type { JsonObject } from '../../../../src/wire/json.ts'

const find = (query: JsonObject) => findUnappliedField(query, 'query', namedSchemas)

const trendsOf = (node: JsonObject, fields: JsonObject = {}): JsonObject => ({
  kind: 'TrendsQuery',
  series: [{ event: 'a' }, node],
  ...fields,
})
const FUNNEL: JsonObject = { kind: 'FunnelsQuery', series: [{ event: 'a' }, { event: 'b' }] }
const retentionOf = (retentionFilter: JsonObject): JsonObject => ({ kind: 'RetentionQuery', retentionFilter })

describe('findUnappliedField', () => {
  it.each<[JsonObject, path: string]>([
    [trendsOf({ math_property: 'price' }), 'series[1].math_property'],
    [trendsOf({ math: null, math_property: 'price' }), 'series[1].math_property'],
    [trendsOf({ math_group_type_index: 0 }), 'series[1].math_group_type_index'],
    [trendsOf({ math_hogql: 'count()' }), 'series[1].math_hogql'],
    [trendsOf({ math: 'sum', math_property: 'price', math_multiplier: 100 }), 'series[1].math_multiplier'],
    [
      trendsOf({ properties: [{ key: 'a', value: 1, group_type_index: 0 }] }),
      'series[1].properties[0].group_type_index',
    ],
    [trendsOf({}, { properties: { type: 'AND', values: [], negation: true } }), 'properties.negation'],
    [trendsOf({}, { properties: [{ key: 'a', value: 1, negation: 'true' }] }), 'properties[0].negation'],
    [trendsOf({}, { compareFilter: { compare_to: '-14d' } }), 'compareFilter.compare_to'],
    [
      trendsOf({}, { breakdownFilter: { breakdowns: [{ property: 'a' }], breakdown_histogram_bin_count: 5 } }),
      'breakdownFilter.breakdown_histogram_bin_count',
    ],
    [{ ...FUNNEL, compareFilter: { compare: true } }, 'compareFilter'],
    [
      { ...FUNNEL, funnelsFilter: { exclusions: [{ event: 'x', math_property: 'price' }] } },
      'funnelsFilter.exclusions[0].math_property',
    ],
    [{ kind: 'LifecycleQuery', series: [{}], breakdownFilter: { breakdown: 'plan' } }, 'breakdownFilter'],
    [{ kind: 'StickinessQuery', series: [{}], aggregation_group_type_index: 0 }, 'aggregation_group_type_index'],
    [retentionOf({ aggregationType: 'sum' }), 'retentionFilter.aggregationType'],
    [retentionOf({ timeWindowMode: '24_hour_windows' }), 'retentionFilter.timeWindowMode'],
    [retentionOf({ retentionCustomBrackets: [1, 7] }), 'retentionFilter.retentionCustomBrackets'],
    [
      retentionOf({ returningEntity: { properties: [{ key: 'a', value: 1, group_type_index: 1 }] } }),
      'retentionFilter.returningEntity.properties[0].group_type_index',
    ],
    [
      {
        kind: 'PathsQuery',
        pathsFilter: {},
        funnelPathsFilter: { funnelSource: { ...FUNNEL, compareFilter: { compare: true } } },
      },
      'funnelPathsFilter.funnelSource.compareFilter',
    ],
    [
      {
        kind: 'ActorsQuery',
        source: { kind: 'InsightActorsQuery', source: trendsOf({ math_property: 'price' }), series: 1 },
      },
      'source.source.series[1].math_property',
    ],
  ])('finds the field in %j', (query, path) => {
    expect(find(query)).toMatchObject({ path: `query.${path}` })
  })

  it.each<JsonObject>([
    trendsOf({ math: 'sum', math_property: 'price', math_property_type: 'event_properties', math_multiplier: 1 }),
    trendsOf({ math: 'unique_group', math_group_type_index: 0, math_property: null, math_hogql: null }),
    trendsOf({ properties: [{ key: 'a', type: 'group', group_type_index: 0, value: 1, negation: true }] }),
    trendsOf({ properties: [{ key: 'a', group_type_index: null, value: 1, negation: null }] }),
    trendsOf(
      {},
      { compareFilter: { compare: false, compare_to: '-14d' }, breakdownFilter: { breakdown_type: 'event' } },
    ),
    trendsOf({}, { breakdownFilter: { breakdown: 'a', breakdown_histogram_bin_count: 5 } }),
    { ...FUNNEL, compareFilter: { compare: false } },
    { kind: 'LifecycleQuery', series: [{}], breakdownFilter: { breakdown_type: 'event' }, compareFilter: null },
    { kind: 'StickinessQuery', series: [{}], aggregation_group_type_index: null },
    trendsOf({ math: 'total', math_property: 'price' }),
    retentionOf({ aggregationType: 'count', timeWindowMode: 'strict_calendar_dates', retentionCustomBrackets: [] }),
    {
      kind: 'ActorsQuery',
      source: { kind: 'InsightActorsQuery', source: trendsOf({}), series: 1, compare: 'previous' },
    },
  ])('finds nothing in %j', (query) => {
    expect(find(query)).toBe(null)
  })
})
