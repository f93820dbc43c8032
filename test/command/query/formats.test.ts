import { parse } from 'csv-parse/sync'
import { expect, test } from 'vitest'
import { formatCsv } from '../../../src/command/query/format-csv.ts'
import { formatNdjson } from '../../../src/command/query/format-ndjson.ts'
import { formatTable } from '../../../src/command/query/format-table.ts'

const RESULT = {
  columns: ['event', 'count'],
  results: [
    ['$pageview', 12],
    ['paid, "twice"', 7],
    ['', null],
  ],
}

test('a table aligns columns, and numbers to the right', () => {
  expect(formatTable(RESULT)).toBe(
    [
      'event          count',
      '-------------  -----',
      '$pageview         12',
      'paid, "twice"      7',
      '                null',
      '',
      '3 rows\n',
    ].join('\n'),
  )
  expect(formatTable({ columns: ['n'], results: [] })).toBe('n\n-\n\n0 rows\n')
  expect(formatTable({ columns: ['n'], results: [[1]] })).toMatch(/\n1 row\n$/)
})

test('a table counts the columns that characters take', () => {
  const lines = formatTable({
    columns: ['event', 'x'],
    results: [
      ['日本語', '|'],
      ['e\u0301te\u0301', '|'],
      ['👍🏽', '|'],
    ],
  }).split('\n')
  expect(lines.slice(2, 5)).toEqual(['日本語  |', 'e\u0301te\u0301     |', '👍🏽      |'])
})

test('a table shows control characters instead of sending them to the terminal', () => {
  const table = formatTable({ columns: ['event'], results: [['\u001b[2J\u009b\u202e\n\t']] })
  expect(table).toContain(String.raw`\u001b[2J\u009b\u202e\n\t`)
})

test('a table cuts long cells', () => {
  const [, , cell] = formatTable({ columns: ['properties'], results: [[{ text: 'x'.repeat(100) }]] }).split('\n')
  expect(cell).toBe(`{"text":"${'x'.repeat(50)}…`)
})

test('CSV keeps every string, and tells null from an empty string', () => {
  const rows = [...RESULT.results, ['a\nb\r\n', { a: [1] }]]
  const csv = formatCsv({ columns: RESULT.columns, results: rows })
  expect(csv.startsWith('event,count\n$pageview,12\n"paid, ""twice""",7\n"",\n')).toBe(true)
  expect(parse(csv)).toEqual([
    ['event', 'count'],
    ['$pageview', '12'],
    ['paid, "twice"', '7'],
    ['', ''],
    ['a\nb\r\n', '{"a":[1]}'],
  ])
})

test('NDJSON has one object per row, in the order of the columns', () => {
  expect(
    formatNdjson({
      columns: ['b', '1'],
      results: [
        [1, 'x'],
        [null, { a: '\n' }],
      ],
    }),
  ).toBe('{"b":1,"1":"x"}\n{"b":null,"1":{"a":"\\n"}}\n')
})

test('NDJSON keeps all columns of the same name', () => {
  const line = formatNdjson({ columns: ['n', 'n', 'n_2', 'n'], results: [[1, 2, 3, 4]] })
  expect(JSON.parse(line)).toEqual({ n: 1, n_3: 2, n_2: 3, n_4: 4 })
})
