import { describe, expect, test } from 'vitest'
import { toAnswerTable } from '../../../../src/service/export/table/answer-table.ts'

const tableOf = (kind: string, results: unknown) => toAnswerTable({ kind }, { results })

describe('the table of', () => {
  test('trends has a line for each series and a column for each period', () => {
    const days = ['2026-01-01', '2026-01-02']
    expect(
      tableOf('TrendsQuery', [
        { label: 'view', data: [1, 2], days },
        { label: 'buy', data: [0, 1], days },
      ]),
    ).toEqual({
      columns: ['series', ...days],
      results: [
        ['view', 1, 2],
        ['buy', 0, 1],
      ],
    })
  })

  test('trends with a comparison tells the range of each line', () => {
    const lines = [
      { label: 'view', data: [1, 2], days: ['2026-01-03', '2026-01-04'], compare_label: 'current' },
      { label: 'view', data: [3], days: ['2026-01-01'], compare_label: 'previous' },
    ]
    expect(tableOf('TrendsQuery', lines)).toEqual({
      columns: ['series', 'range', '2026-01-03', '2026-01-04'],
      results: [
        ['view', 'current', 1, 2],
        ['view', 'previous', 3, null],
      ],
    })
  })

  test('trends of one number has it', () => {
    expect(tableOf('TrendsQuery', [{ label: 'view', data: [], days: [], aggregated_value: 7 }])).toEqual({
      columns: ['series', 'value'],
      results: [['view', 7]],
    })
  })

  test('nothing has no lines', () => {
    for (const kind of ['TrendsQuery', 'FunnelsQuery', 'RetentionQuery', 'PathsQuery'])
      expect(tableOf(kind, []).results).toEqual([])
  })

  const step = (order: number, count: number, fields: object = {}) => ({
    order,
    name: `step ${order}`,
    custom_name: null,
    count,
    average_conversion_time: order === 0 ? null : 10,
    median_conversion_time: order === 0 ? null : 8,
    ...fields,
  })

  test('a funnel has a line for each step', () => {
    expect(tableOf('FunnelsQuery', [step(0, 3), step(1, 1, { custom_name: 'Pay' })]).results).toEqual([
      [1, 'step 0', 3, 100, null, null],
      [2, 'Pay', 1, 33.33, 10, 8],
    ])
    expect(tableOf('FunnelsQuery', [step(0, 0)]).results).toEqual([[1, 'step 0', 0, null, null, null]])
  })

  test('a funnel with a breakdown names the group of each step', () => {
    const { columns, results } = tableOf('FunnelsQuery', [
      [step(0, 2, { breakdown_value: ['pro', 'de'] })],
      [step(0, 1, { breakdown_value: 'free' })],
    ])
    expect([columns[0], results.map(([group]) => group)]).toEqual(['breakdown', ['pro, de', 'free']])
  })

  test('the times and the rates of a funnel has them', () => {
    expect(
      tableOf('FunnelsQuery', {
        bins: [
          [0, 5],
          [60, 1],
        ],
        average_conversion_time: 9,
      }),
    ).toEqual({
      columns: ['from_seconds', 'conversions'],
      results: [
        [0, 5],
        [60, 1],
      ],
    })
    expect(tableOf('FunnelsQuery', [{ data: [50], days: ['2026-01-01'], labels: [] }])).toEqual({
      columns: ['series', '2026-01-01'],
      results: [['All', 50]],
    })
  })

  test('retention has a line for each cohort, and fewer periods for the later ones', () => {
    const values = (...counts: number[]) => counts.map((count, index) => ({ count, label: `Week ${index}` }))
    expect(
      tableOf('RetentionQuery', [
        { date: '2026-01-01T00:00:00Z', label: 'Week 0', values: values(4, 2) },
        { date: '2026-01-08T00:00:00Z', label: 'Week 1', values: values(3) },
      ]),
    ).toEqual({
      columns: ['cohort', 'Week 0', 'Week 1'],
      results: [
        ['2026-01-01T00:00:00Z', 4, 2],
        ['2026-01-08T00:00:00Z', 3, null],
      ],
    })
  })

  test('paths has a line for each step', () => {
    expect(
      tableOf('PathsQuery', [{ source: '1_/', target: '2_/pay', value: 3, average_conversion_time: 12 }]).results,
    ).toEqual([['1_/', '2_/pay', 3, 12]])
  })
})
