import { describe, expect, it } from 'vitest'
import { findMisspelledField } from '../../../../src/service/insight/check/find-misspelled-field.ts'
import { findMisspelledFilter } from '../../../../src/service/insight/check/find-misspelled-filter.ts'
import { PROTOCOL_FIELDS } from '../../../../src/service/insight/check/protocol-fields.ts'
import { namedSchemas } from '../../../../src/service/management/schema/named-schemas.ts'
import type { Json, JsonObject } from '../../../../src/wire/json.ts'

const find = (query: JsonObject) =>
  findMisspelledField(query, 'query', namedSchemas[query['kind'] as string]!, namedSchemas)

const TRENDS: JsonObject = { kind: 'TrendsQuery', series: [{ kind: 'EventsNode', event: 'a' }] }
const FUNNEL: JsonObject = { kind: 'FunnelsQuery', series: [{ event: 'a' }, { event: 'b' }] }

describe('findMisspelledField', () => {
  it.each<[JsonObject, path: string, meant: string]>([
    [{ ...TRENDS, breakdwonFilter: {} }, 'breakdwonFilter', 'breakdownFilter'],
    [{ ...TRENDS, date_range: {} }, 'date_range', 'dateRange'],
    [{ ...TRENDS, breakdown_filter: {} }, 'breakdown_filter', 'breakdownFilter'],
    [{ ...TRENDS, filter_test_accounts: true }, 'filter_test_accounts', 'filterTestAccounts'],
    [{ ...TRENDS, intervall: 'week' }, 'intervall', 'interval'],
    [{ ...TRENDS, dateRange: { date_form: '-30d' } }, 'dateRange.date_form', 'date_from'],
    [{ ...TRENDS, dateRange: { dateFrom: '-30d' } }, 'dateRange.dateFrom', 'date_from'],
    [{ ...TRENDS, series: [{}, { evnet: 'a' }] }, 'series[1].evnet', 'event'],
    [{ ...TRENDS, series: [{ mth: 'dau' }] }, 'series[0].mth', 'math'],
    [{ ...TRENDS, breakdownFilter: { breakdwon: 'plan' } }, 'breakdownFilter.breakdwon', 'breakdown'],
    [
      { ...TRENDS, breakdownFilter: { breakdowns: [{ property: 'a', typ: 'person' }] } },
      'breakdownFilter.breakdowns[0].typ',
      'type',
    ],
    [{ ...TRENDS, trendsFilter: { smoothingInterval: 7 } }, 'trendsFilter.smoothingInterval', 'smoothingIntervals'],
    [
      { ...TRENDS, trendsFilter: { formulaNodes: [{ fromula: 'A' }] } },
      'trendsFilter.formulaNodes[0].fromula',
      'formula',
    ],
    [{ ...TRENDS, compareFilter: { comapre: true } }, 'compareFilter.comapre', 'compare'],
    [{ ...TRENDS, properties: [{ key: 'a', operater: 'is_not', value: 1 }] }, 'properties[0].operater', 'operator'],
    [
      { ...TRENDS, properties: { type: 'AND', values: [{ type: 'OR', values: [{ key: 'a', vlaue: 1 }] }] } },
      'properties.values[0].values[0].vlaue',
      'value',
    ],
    [{ ...TRENDS, properties: { type: 'OR', vaules: [] } }, 'properties.vaules', 'values'],
    [
      { ...TRENDS, series: [{ fixedProperties: [{ key: 'a', value: 1, group_typeindex: 0 }] }] },
      'series[0].fixedProperties[0].group_typeindex',
      'group_type_index',
    ],
    [{ ...TRENDS, properties: [{ key: 'a', value: 1, negaton: true }] }, 'properties[0].negaton', 'negation'],
    [
      { ...FUNNEL, funnelsFilter: { funnelWindowIntervall: 7 } },
      'funnelsFilter.funnelWindowIntervall',
      'funnelWindowInterval',
    ],
    [
      { ...FUNNEL, funnelsFilter: { exclusions: [{ event: 'x', funnelFromStep: 0, funnelTostep: 1 }] } },
      'funnelsFilter.exclusions[0].funnelTostep',
      'funnelToStep',
    ],
    [{ kind: 'RetentionQuery', retentionFilter: { perod: 'Week' } }, 'retentionFilter.perod', 'period'],
    [
      { kind: 'RetentionQuery', retentionFilter: { targetEntity: { propertys: [] } } },
      'retentionFilter.targetEntity.propertys',
      'properties',
    ],
    [{ kind: 'PathsQuery', pathsFilter: { startpoint: '/' } }, 'pathsFilter.startpoint', 'startPoint'],
    [
      { kind: 'PathsQuery', pathsFilter: {}, funnelPathsFilter: { funnelSource: { ...FUNNEL, dateRnage: {} } } },
      'funnelPathsFilter.funnelSource.dateRnage',
      'dateRange',
    ],
    [
      { kind: 'StickinessQuery', series: [{}], stickinessFilter: { computeAs: 'x' } },
      'stickinessFilter.computeAs',
      'computedAs',
    ],
    [{ kind: 'LifecycleQuery', series: [{}], filterTestAcounts: true }, 'filterTestAcounts', 'filterTestAccounts'],
    [{ kind: 'EventsQuery', select: ['*'], befor: '2026-01-01' }, 'befor', 'before'],
    [{ kind: 'ActorsQuery', serach: 'x' }, 'serach', 'search'],
    [
      { kind: 'ActorsQuery', source: { kind: 'InsightActorsQuery', source: { ...TRENDS, intervl: 'day' } } },
      'source.source.intervl',
      'interval',
    ],
    [
      { kind: 'ActorsQuery', source: { kind: 'FunnelsActorsQuery', source: FUNNEL, funnelSteps: 1 } },
      'source.funnelSteps',
      'funnelStep',
    ],
  ])('finds the field in %j', (query, path, meant) => {
    expect(find(query)).toEqual({ path: `query.${path}`, meant })
  })

  it.each<JsonObject>([
    TRENDS,
    { ...TRENDS, goal: 5, resultCustomizations: {}, comment: 'for Ann', response: {}, version: 2 },
    { ...TRENDS, series: [{ kind: 'EventsNode', event: 'a', limit: 5, orderBy: [], custom: 1, id: 'a', order: 0 }] },
    { ...TRENDS, dateRange: null, properties: null, breakdownFilter: null },
    { ...TRENDS, properties: [{ key: 'a', type: 'cohort', value: 1, cohort_name: 'A', label: 'x' }, {}] },
    { ...TRENDS, series: 'a', dateRange: ['x'] },
    { kind: 'ActorsQuery', source: { kind: 'Other', source: {} } },
  ])('finds nothing in %j', (query) => {
    expect(find(query)).toBe(null)
  })

  it('takes no field of the protocol for a misspelling, wherever it is', () => {
    const fields = Object.fromEntries(Array.from(PROTOCOL_FIELDS, (name) => [name, null]))
    const query: JsonObject = {
      ...fields,
      ...TRENDS,
      series: [{ ...fields, event: 'a' }],
      dateRange: fields,
      breakdownFilter: { ...fields, breakdowns: [{ ...fields, property: 'a' }] },
      trendsFilter: fields,
      properties: [{ ...fields, key: 'a' }],
    }
    expect(find(query)).toBe(null)
  })

  it('compares few of many unknown fields', () => {
    const many = Object.fromEntries(Array.from({ length: 30_000 }, (_, index) => [`field ${index}`, 1]))
    const compared: Json = { ...many, key: 'a', operater: 'exact' }
    expect(findMisspelledFilter([compared], 'properties')).toBe(null)
  })
})
