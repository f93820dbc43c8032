import { parse } from 'csv-parse/sync'
import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { formatCsv } from '../../../src/wire/result/format-csv.ts'
import { formatNdjson } from '../../../src/wire/result/format-ndjson.ts'
import { toSafeCell } from '../../../src/wire/result/to-safe-cell.ts'
import { pickFormat, RESULT_MEDIA_TYPES } from '../../../src/wire/result/pick-format.ts'

const RESULT = {
  columns: ['event', 'count'],
  results: [
    ['$pageview', 12],
    ['paid, "twice"', 7],
    ['', null],
  ],
}

test('CSV keeps every string, and tells null from an empty string', () => {
  const rows = [...RESULT.results, ['a\nb\r\n', { a: [1] }]]
  const csv = formatCsv({ columns: RESULT.columns, results: rows })
  expect(csv.startsWith('event,count\r\n$pageview,12\r\n"paid, ""twice""",7\r\n"",\r\n')).toBe(true)
  expect(parse(csv)).toEqual([
    ['event', 'count'],
    ['$pageview', '12'],
    ['paid, "twice"', '7'],
    ['', ''],
    ['a\nb\r\n', '{"a":[1]}'],
  ])
})

test('CSV has no cell that a spreadsheet program takes for a formula', () => {
  const csv = formatCsv({
    columns: ['=a', 'b'],
    results: [
      ['=HYPERLINK("x")', -1],
      ['-5', { a: '=1' }],
      ['a;=1', '@b'],
    ],
  })
  expect(parse(csv)).toEqual([
    ["'=a", 'b'],
    ['\'=HYPERLINK("x")', '-1'],
    ['-5', '{"a":"=1"}'],
    ["a;'=1", "'@b"],
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

test('any rows of strings and numbers come back from CSV and from NDJSON', () => {
  const cell = fc.oneof(fc.string({ unit: 'grapheme' }), fc.integer(), fc.constant(null))
  const rows = fc.array(fc.tuple(cell, cell), { maxLength: 20 })
  fc.assert(
    fc.property(rows, (results) => {
      const csv = formatCsv({ columns: ['a', 'b'], results })
      expect(parse(csv).slice(1)).toEqual(
        results.map((row) => row.map((value) => String((toSafeCell(value) as typeof value) ?? ''))),
      )
      const lines = formatNdjson({ columns: ['a', 'b'], results })
        .split('\n')
        .slice(0, -1)
      expect(lines.map((line) => JSON.parse(line))).toEqual(results.map(([a, b]) => ({ a, b })))
    }),
  )
})

test.each([
  [undefined, 'json'],
  ['', 'json'],
  ['*/*', 'json'],
  ['text/html', 'json'],
  ['text/csv', 'csv'],
  ['Text/CSV; charset=utf-8', 'csv'],
  ['application/x-ndjson', 'ndjson'],
  ['application/jsonl', 'ndjson'],
  ['text/html, text/csv;q=0.9, */*;q=0.8', 'csv'],
  ['application/json, text/csv', 'json'],
  ['application/json;q=0.5, application/x-ndjson', 'ndjson'],
  ['text/csv;q=0', 'json'],
  ['text/csv;q=x', 'json'],
] as const)('the Accept header %j asks for %s', (accept, format) => {
  expect(pickFormat(accept)).toBe(format)
})

test('each form has media types, which ask for it', () => {
  for (const [format, types] of Object.entries(RESULT_MEDIA_TYPES))
    for (const type of types) expect(pickFormat(`text/html, ${type}`)).toBe(format)
})
