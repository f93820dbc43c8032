import { expect, test } from 'vitest'
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
