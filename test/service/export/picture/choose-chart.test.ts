import { describe, expect, it } from 'vitest'
import * as fc from 'fast-check'
import { chooseChart } from '../../../../src/service/export/picture/choose-chart.ts'
import { drawPicture } from '../../../../src/service/export/picture/draw-picture.ts'
import type { InsightTile } from '../../../../src/service/export/picture/picture.ts'
import type { Json } from '../../../../src/wire/json.ts'
import { createKit, INSIGHTS, parseSvg, requestOf, totalOf, trendOf, trends } from '../../support/pictures.ts'

const KINDS: Readonly<Record<string, object>> = {
  lines: { kind: 'lines', isStacked: false, unit: 'count', hasOpenEnd: false },
  comparison: {
    kind: 'lines',
    series: [
      { color: 0, isEarlier: false },
      { color: 0, isEarlier: true },
    ],
  },
  areas: { kind: 'lines', isStacked: true },
  bars: { kind: 'bars', isStacked: false },
  'stacked bars': { kind: 'bars', isStacked: true },
  ranking: { kind: 'ranking', items: [{ name: 'Firefox', value: 7000 }, { value: 6000 }, { value: 6000 }] },
  pie: { kind: 'pie', slices: [{ name: 'Chrome', value: 6000, color: 0 }, { color: 1 }, { color: 2 }] },
  number: { kind: 'numbers', items: [{ name: 'viewed', value: 1234567, earlier: 1000000 }] },
  totals: {
    kind: 'table',
    columns: ['Series', 'Total'],
    rows: [
      ['viewed', 1234567],
      ['bought', 12],
    ],
  },
  map: { kind: 'table', rows: [['DE', 12]] },
  funnel: { kind: 'funnel', steps: ['viewed', 'carted', 'bought'], groups: [{ name: null, counts: [1000, 400, 100] }] },
  'funnel by browser': { kind: 'funnel', groups: [{ name: 'Chrome', counts: [1000, 300] }, {}, {}] },
  'funnel over time': { kind: 'lines', unit: 'percent' },
  'times to convert': {
    kind: 'bars',
    periods: ['0 s', '1 h', '2 h'],
    series: [{ name: 'Conversions by time (average 50 min)', values: [10, 20, 5] }],
  },
  retention: {
    kind: 'retention',
    periods: ['Day 0', 'Day 1', 'Day 2', 'Day 3'],
    cohorts: [{ name: '1 Jan', counts: [100, 70, 40, 10] }, {}, {}, { name: '4 Jan', counts: [100] }],
    reference: 'total',
  },
  stickiness: { kind: 'bars', periods: ['1 day', '2 days', '3 days'] },
  lifecycle: { kind: 'bars', isStacked: true, series: [{ name: 'new' }, {}, {}, { name: 'dormant', color: 1 }] },
  paths: {
    kind: 'flow',
    edges: [{ source: { step: 1, name: '/' }, target: { step: 2, name: '/shop' }, value: 30 }, {}],
  },
  table: {
    kind: 'table',
    columns: ['event', 'count', 'flag', 'object'],
    rows: [
      ['viewed', 12345.5, null, '{"a":1}'],
      ['bought', 12, true, '[1,2]'],
    ],
    hasMore: true,
  },
  'one point': { kind: 'lines', periods: ['1 Jan'] },
  'no data': { kind: 'message', tone: 'empty', text: 'No data' },
  error: { kind: 'message', tone: 'error', text: 'The query took more than 30 s.' },
}

describe('chooseChart', () => {
  it.each(Object.entries(KINDS))('chooses a chart for %s', (name, chart) => {
    expect(chooseChart(INSIGHTS[name]!)).toMatchObject(chart)
  })

  it('reads the result of an insight, and an error in an answer', () => {
    const { query } = trends([])
    const insight = { kind: 'insight', title: null, query } as const
    expect(chooseChart({ ...insight, answer: { result: [trendOf('a', [1])] } })).toMatchObject({ kind: 'lines' })
    expect(chooseChart({ ...insight, answer: { result: null } })).toMatchObject({ text: 'No data' })
    expect(chooseChart({ ...insight, answer: { results: [], error: 'broken' } })).toMatchObject({ text: 'broken' })
  })

  it('names the groups of a breakdown, and gives the rest its own colour', () => {
    const results = [
      trendOf('Chrome', [1], { breakdown_value: 'Chrome' }),
      trendOf('Other', [1], { breakdown_value: '$$_posthog_breakdown_other_$$' }),
    ]
    expect(chooseChart(trends(results))).toMatchObject({ series: [{ color: 0 }, { color: 'other' }] })
    const steps = [[{ name: 'a', count: 1, breakdown_value: ['$$_posthog_breakdown_null_$$'] }]]
    const funnel = { ...trends([]), query: { kind: 'FunnelsQuery' }, answer: { results: steps } }
    expect(chooseChart(funnel)).toMatchObject({ groups: [{ name: 'none' }] })
  })

  it('shows negative numbers as bars, which a pie cannot', () => {
    const totals = [totalOf('a', 5), totalOf('b', -5, { action: { order: 1 } })]
    expect(chooseChart(trends(totals, 'ActionsPie'))).toMatchObject({ kind: 'ranking' })
    expect(chooseChart(trends([totalOf('a', 0)], 'ActionsPie'))).toMatchObject({ text: 'No data' })
  })

  it('names persons and events in a table by what people call them', () => {
    const row: Json = [
      { uuid: 'x', event: 'viewed', properties: {} },
      { id: 'x', properties: { email: 'a@example.com' }, distinct_ids: ['d'] },
      { id: 'x', properties: {}, distinct_ids: ['d'] },
    ]
    const answer: Json = { columns: ['*'], results: [row] }
    const picture = { ...trends([]), query: { kind: 'EventsQuery' }, answer }
    expect(chooseChart(picture)).toMatchObject({
      columns: ['*', 'Column 2', 'Column 3'],
      rows: [['viewed', 'a@example.com', 'd']],
    })
  })

  it('does not take the query behind persons for a chart', () => {
    const query = { kind: 'ActorsQuery', source: { kind: 'TrendsQuery' } }
    expect(chooseChart({ ...trends([]), query, answer: { columns: ['id'], results: [['a']] } })).toMatchObject({
      kind: 'table',
      rows: [['a']],
    })
  })

  it('draws something for any answer to any query', () => {
    const kit = createKit()
    const json = fc.jsonValue({ maxDepth: 4 }) as fc.Arbitrary<Json>
    const kinds = ['Trends', 'Funnels', 'Retention', 'Stickiness', 'Lifecycle', 'Paths', 'HogQL'].map(
      (name) => `${name}Query`,
    )
    const displays = [
      'ActionsPie',
      'ActionsBar',
      'ActionsAreaGraph',
      'ActionsBarValue',
      'BoldNumber',
      'ActionsTable',
      'x',
    ]
    const results = fc.oneof(
      json,
      fc.array(
        fc.record(
          {
            label: json,
            data: fc.oneof(json, fc.array(fc.double())),
            days: fc.oneof(json, fc.array(fc.constantFrom('2026-01-01', '2026-01-02', 'x'))),
            labels: json,
            aggregated_value: fc.oneof(json, fc.double()),
            values: fc.oneof(json, fc.array(fc.record({ count: fc.double() }))),
            count: fc.oneof(json, fc.double()),
            name: json,
            source: fc.constantFrom('1_a', '2_b', 'c'),
            target: fc.constantFrom('2_a', '2_b', '3_c'),
            value: fc.oneof(json, fc.double()),
            breakdown_value: json,
            compare_label: fc.constantFrom('current', 'previous'),
          },
          { requiredKeys: [] },
        ) as fc.Arbitrary<Json>,
        { maxLength: 4 },
      ),
    )
    fc.assert(
      fc.property(fc.constantFrom(...kinds), fc.constantFrom(...displays), results, (kind, display, answered) => {
        const query = { kind, trendsFilter: { display } }
        // What JSON cannot say is not in an answer.
        const answer = JSON.parse(JSON.stringify({ results: answered })) as Json
        const content: InsightTile = { kind: 'insight', title: null, query, answer }
        expect(parseSvg(drawPicture(requestOf(content), kit)).tags[0]).toBe('svg')
      }),
      { numRuns: 200 },
    )
  })
})
