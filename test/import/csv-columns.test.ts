import { expect, test } from 'vitest'
import { csvColumns } from '../../src/import/csv-columns.ts'

const NEEDED = ['event', 'distinct_id', 'timestamp']
const fieldsOf = (extra: Readonly<Record<string, string>>, texts: readonly string[] = []) =>
  csvColumns([...NEEDED, ...Object.keys(extra)], texts).fields(['e', '7', '2024-01-31', ...Object.values(extra)])

test('ids and times are texts, whatever they look like; empty cells are not there', () => {
  expect(fieldsOf({ uuid: '', properties: '' })).toEqual({ event: 'e', distinct_id: '7', timestamp: '2024-01-31' })
})

test('a column of properties is JSON, and columns of single properties win over it', () => {
  expect(fieldsOf({ properties: '{"a": 1, "b": 2}', 'properties.b': '3', 'properties.c': 'x' })['properties']).toEqual({
    a: 1,
    b: 3,
    c: 'x',
  })
})

test('a cell of properties that is no JSON object is kept as it is, to be rejected', () => {
  expect(fieldsOf({ properties: '{a', 'properties.b': '3' })['properties']).toBe('{a')
  expect(fieldsOf({ properties: '[1]', 'properties.b': '3' })['properties']).toBe('[1]')
})

test('dots lead into objects, as exports have it, and whole numbers into arrays', () => {
  const fields = fieldsOf({ 'properties.$set.email': 'a@b', 'properties.list.1': 'y', 'properties.list.0': 'x' })
  expect(fields['properties']).toEqual({ $set: { email: 'a@b' }, list: ['x', 'y'] })
})

test('where a value stands in the way of a dot, the dot belongs to the name', () => {
  expect(fieldsOf({ 'properties.a.b': '1', 'properties.a': '2' })['properties']).toEqual({ a: 2, 'a.b': 1 })
})

test('no name of a column reaches the prototype of anything', () => {
  const fields = fieldsOf({ 'properties.__proto__.polluted': '1', 'properties.constructor.name': 'x' })
  expect(JSON.stringify(fields['properties'])).toBe('{"__proto__":{"polluted":1},"constructor":{"name":"x"}}')
  expect('polluted' in {}).toBe(false)
})

test('columns of text keep their cells, with and without the prefix', () => {
  const extra = { 'properties.plan': '1', 'properties.version': '1.10', 'properties.price': '1.5' }
  expect(fieldsOf(extra, ['plan', 'properties.version'])['properties']).toEqual({
    plan: '1',
    version: '1.10',
    price: 1.5,
  })
})

test('the export of posthog, whose columns begin with "*.", is understood, and what has no place is named', () => {
  const columns = csvColumns(
    ['*.uuid', '*.event', '*.timestamp', '*.distinct_id', '*.properties.$os', 'person', '*.created_at'],
    [],
  )
  expect(columns.fields(['u', 'e', 't', 'd', 'Linux', 'p', 'c'])).toEqual({
    uuid: 'u',
    event: 'e',
    timestamp: 't',
    distinct_id: 'd',
    properties: { $os: 'Linux' },
  })
  expect(columns.ignored).toEqual(['person', 'created_at'])
})

test.each([
  [['distinct_id', 'timestamp'], 'The CSV has no column "event".'],
  [['event', 'distinct_id'], 'The CSV has no column "timestamp".'],
  [['event', 'timestamp'], 'The CSV has no column "distinct_id".'],
  [[...NEEDED, 'event'], 'The CSV has two columns "event".'],
])('a header of %j is refused: %s', (header, problem) => {
  expect(() => csvColumns(header, [])).toThrow(
    expect.objectContaining({ code: 'wrong_format', message: expect.stringContaining(problem) }),
  )
})

test('a column of text that is not there is a mistake', () => {
  expect(() => csvColumns(NEEDED, ['plam'])).toThrow('There is no column "plam"')
})
