import { expect, test } from 'vitest'
import { parseArguments } from '../../../src/command/import/parse-arguments.ts'

const TARGET = ['--key', 'k', '--host', 'http://h']

test('defaults to files next to the input, and to no journal for standard input', () => {
  expect(parseArguments(['a.csv', ...TARGET])).toMatchObject({
    kind: 'import',
    path: 'a.csv',
    journal: 'a.csv.waymark-import.json',
    rejects: 'a.csv.rejects.ndjson',
    target: { key: 'k', host: 'http://h' },
  })
  expect(parseArguments(['-', ...TARGET])).toMatchObject({
    path: null,
    journal: undefined,
    rejects: 'waymark-import.rejects.ndjson',
  })
  expect(parseArguments(['a.csv', '--no-journal', ...TARGET])).toMatchObject({ journal: undefined })
})

test('a dry run needs no key and no host, and has no rejects file by default', () => {
  expect(parseArguments(['a.csv', '--dry-run'])).toMatchObject({ target: null, rejects: undefined })
})

test.each([
  [['a.csv', '--bogus', ...TARGET], "Unknown option '--bogus'"],
  [TARGET, 'The file to import is missing'],
  [['a', 'b', ...TARGET], 'Only one file'],
  [['a', '--host', 'h'], '--key is missing'],
  [['a', '--key', 'k'], '--host is missing'],
  [['a', '--key'], "'--key <value>' argument missing"],
  [['a', '--format', 'xml', ...TARGET], '--format must be ndjson or csv'],
  [['a', '--max-retries', '-1', ...TARGET], '--max-retries'],
  [['a', '--max-retries=many', ...TARGET], '--max-retries must be a whole number'],
  [['a', '--journal', 'j', '--no-journal', ...TARGET], 'cannot be used together'],
])('rejects %j: %s', (args, problem) => {
  expect(parseArguments(args)).toEqual({ kind: 'invalid', problem: expect.stringContaining(problem) })
})
