import { expect, test } from 'vitest'
import { overrideFilters } from '../../../../src/service/insight/query/override-filters.ts'

test('the filters of a dashboard hold for the funnel that paths are around, too', () => {
  const funnelSource = { kind: 'FunnelsQuery', series: [], dateRange: { date_from: '-7d' } }
  const query = { kind: 'PathsQuery', funnelPathsFilter: { funnelPathType: 'funnel_path_after_step', funnelSource } }
  const plan = { key: 'plan', value: 'pro' }
  const fields = {
    dateRange: { date_from: '-30d', date_to: null },
    properties: { type: 'AND', values: [{ type: 'AND', values: [plan] }] },
  }
  expect(overrideFilters(query, { date_from: '-30d', properties: [plan] })).toEqual({
    ...query,
    ...fields,
    funnelPathsFilter: { ...query.funnelPathsFilter, funnelSource: { ...funnelSource, ...fields } },
  })
})
