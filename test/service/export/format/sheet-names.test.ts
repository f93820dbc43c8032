import { expect, test } from 'vitest'
import { createSheetNames } from '../../../../src/service/export/format/sheet-names.ts'

const nameAll = (...titles: string[]): string[] => titles.map(createSheetNames())

test('a sheet has the name of its table', () => {
  expect(nameAll('Views per day', 'Ansichten je Tag', '表示')).toEqual(['Views per day', 'Ansichten je Tag', '表示'])
})

test('a name has only what is allowed', () => {
  expect(nameAll(`'a/b\\c:d*e?f[g]h'`, '  ', `'`, 'History')).toEqual([
    'a b c d e f g h',
    'Export',
    'Export (2)',
    'History (2)',
  ])
})

test('a long name is cut, and none occurs twice', () => {
  const long = 'A very long name of an insight about visits'
  expect(nameAll(long, long.toUpperCase(), `${'x'.repeat(30)}😀`)).toEqual([
    'A very long name of an insight',
    'A VERY LONG NAME OF AN INSI (2)',
    'x'.repeat(30),
  ])
})
