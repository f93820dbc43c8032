import { expect, test } from 'vitest'
import { parseCsvHeader } from '../../src/import/parse-csv-header.ts'

const REQUIRED = ['event', 'distinct_id', 'timestamp']
/** Parses one row with the required columns and these extra ones (column name to cell). */
const readFields = (extraCells: Readonly<Record<string, string>>, textColumns: readonly string[] = []) =>
  parseCsvHeader([...REQUIRED, ...Object.keys(extraCells)], textColumns).toFields([
    'e',
    '7',
    '2024-01-31',
    ...Object.values(extraCells),
  ])

test('keeps ids and timestamps as strings, and leaves out empty cells', () => {
  expect(readFields({ uuid: '', properties: '' })).toEqual({ event: 'e', distinct_id: '7', timestamp: '2024-01-31' })
})

test('overrides a property in the "properties" cell by the column of that property', () => {
  expect(
    readFields({ properties: '{"a": 1, "b": 2}', 'properties.b': '3', 'properties.c': 'x' })['properties'],
  ).toEqual({
    a: 1,
    b: 3,
    c: 'x',
  })
})

test('returns a "properties" cell that is not a JSON object as a string', () => {
  expect(readFields({ properties: '{a', 'properties.b': '3' })['properties']).toBe('{a')
  expect(readFields({ properties: '[1]', 'properties.b': '3' })['properties']).toBe('[1]')
})

test('converts dots in names to nested objects, and integers to array indexes', () => {
  const fields = readFields({ 'properties.$set.email': 'a@b', 'properties.list.1': 'y', 'properties.list.0': 'x' })
  expect(fields['properties']).toEqual({ $set: { email: 'a@b' }, list: ['x', 'y'] })
})

test('keeps the dot in a name whose parent already has a value', () => {
  expect(readFields({ 'properties.a.b': '1', 'properties.a': '2' })['properties']).toEqual({ a: 2, 'a.b': 1 })
})

test('does not let column names change a prototype', () => {
  const fields = readFields({ 'properties.__proto__.polluted': '1', 'properties.constructor.name': 'x' })
  expect(JSON.stringify(fields['properties'])).toBe('{"__proto__":{"polluted":1},"constructor":{"name":"x"}}')
  expect('polluted' in {}).toBe(false)
})

test('keeps cells of text columns as strings, with or without "properties."', () => {
  const extraCells = { 'properties.plan': '1', 'properties.version': '1.10', 'properties.price': '1.5' }
  expect(readFields(extraCells, ['plan', 'properties.version'])['properties']).toEqual({
    plan: '1',
    version: '1.10',
    price: 1.5,
  })
})

test('reads the column names of posthog ("*.event") and lists ignored columns', () => {
  const columns = parseCsvHeader(
    ['*.uuid', '*.event', '*.timestamp', '*.distinct_id', '*.properties.$os', 'person', '*.created_at'],
    [],
  )
  expect(columns.toFields(['u', 'e', 't', 'd', 'Linux', 'p', 'c'])).toEqual({
    uuid: 'u',
    event: 'e',
    timestamp: 't',
    distinct_id: 'd',
    properties: { $os: 'Linux' },
  })
  expect(columns.ignoredNames).toEqual(['person', 'created_at'])
})

test.each([
  [['distinct_id', 'timestamp'], 'The CSV has no column "event".'],
  [['event', 'distinct_id'], 'The CSV has no column "timestamp".'],
  [['event', 'timestamp'], 'The CSV has no column "distinct_id".'],
  [[...REQUIRED, 'event'], 'The CSV has two columns "event".'],
])('rejects the header %j: %s', (header, problem) => {
  expect(() => parseCsvHeader(header, [])).toThrow(
    expect.objectContaining({ code: 'wrong_format', message: expect.stringContaining(problem) }),
  )
})

test('rejects a text column that does not exist', () => {
  expect(() => parseCsvHeader(REQUIRED, ['plam'])).toThrow('The CSV has no column "plam"')
})
