import { expect, test } from 'vitest'
import { readArguments } from '../../../src/import/command/arguments.ts'

const TARGET = ['--key', 'k', '--host', 'http://h']

test('a file brings its journal and its rejects along, standard input only rejects', () => {
  expect(readArguments(['import', 'a.csv', ...TARGET])).toMatchObject({
    kind: 'import',
    path: 'a.csv',
    journal: 'a.csv.waymark-import.json',
    rejects: 'a.csv.rejects.ndjson',
    target: { key: 'k', host: 'http://h' },
  })
  expect(readArguments(['import', '-', ...TARGET])).toMatchObject({
    path: null,
    journal: undefined,
    rejects: 'waymark-import.rejects.ndjson',
  })
  expect(readArguments(['import', 'a.csv', '--no-journal', ...TARGET])).toMatchObject({ journal: undefined })
})

test('a dry run needs neither key nor host, and writes no file that was not asked for', () => {
  expect(readArguments(['import', 'a.csv', '--dry-run'])).toMatchObject({ target: null, rejects: undefined })
})

test.each([
  [['import', 'a.csv', '--bogus', ...TARGET], "Unknown option '--bogus'"],
  [['import', ...TARGET], 'Name a file'],
  [['import', 'a', 'b', ...TARGET], 'One file at a time'],
  [['export'], 'There is no command "export"'],
  [['import', 'a', '--host', 'h'], '--key is missing'],
  [['import', 'a', '--key', 'k'], '--host is missing'],
  [['import', 'a', '--key'], "'--key <value>' argument missing"],
  [['import', 'a', '--format', 'xml', ...TARGET], '--format is ndjson or csv'],
  [['import', 'a', '--max-retries', '-1', ...TARGET], '--max-retries'],
  [['import', 'a', '--max-retries=many', ...TARGET], '--max-retries is a whole number'],
  [['import', 'a', '--journal', 'j', '--no-journal', ...TARGET], 'exclude each other'],
])('%j is wrong: %s', (args, problem) => {
  expect(readArguments(args)).toEqual({ kind: 'wrong', problem: expect.stringContaining(problem) })
})
