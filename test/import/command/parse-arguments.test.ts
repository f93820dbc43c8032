import { expect, test } from 'vitest'
import { parseArguments } from '../../../src/import/command/parse-arguments.ts'

const TARGET = ['--key', 'k', '--host', 'http://h']

test('defaults to files next to the input, and to no journal for standard input', () => {
  expect(parseArguments(['import', 'a.csv', ...TARGET])).toMatchObject({
    kind: 'import',
    path: 'a.csv',
    journal: 'a.csv.waymark-import.json',
    rejects: 'a.csv.rejects.ndjson',
    target: { key: 'k', host: 'http://h' },
  })
  expect(parseArguments(['import', '-', ...TARGET])).toMatchObject({
    path: null,
    journal: undefined,
    rejects: 'waymark-import.rejects.ndjson',
  })
  expect(parseArguments(['import', 'a.csv', '--no-journal', ...TARGET])).toMatchObject({ journal: undefined })
})

test('a dry run needs no key and no host, and has no rejects file by default', () => {
  expect(parseArguments(['import', 'a.csv', '--dry-run'])).toMatchObject({ target: null, rejects: undefined })
})

test.each([
  [['import', 'a.csv', '--bogus', ...TARGET], "Unknown option '--bogus'"],
  [['import', ...TARGET], 'The file to import is missing'],
  [['import', 'a', 'b', ...TARGET], 'Only one file'],
  [['export'], 'There is no command "export"'],
  [['import', 'a', '--host', 'h'], '--key is missing'],
  [['import', 'a', '--key', 'k'], '--host is missing'],
  [['import', 'a', '--key'], "'--key <value>' argument missing"],
  [['import', 'a', '--format', 'xml', ...TARGET], '--format must be ndjson or csv'],
  [['import', 'a', '--max-retries', '-1', ...TARGET], '--max-retries'],
  [['import', 'a', '--max-retries=many', ...TARGET], '--max-retries must be a whole number'],
  [['import', 'a', '--journal', 'j', '--no-journal', ...TARGET], 'cannot be used together'],
])('rejects %j: %s', (args, problem) => {
  expect(parseArguments(args)).toEqual({ kind: 'invalid', problem: expect.stringContaining(problem) })
})
