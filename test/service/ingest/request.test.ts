import { expect, test } from 'vitest'
import { parseJson, parseRequest } from '../../../src/service/ingest/request.ts'

const parse = (value: unknown) => parseRequest(JSON.stringify(value))
const event = { event: 'e', distinct_id: 'u' }

test('reads JSON behind a byte order mark', () => {
  expect(parseJson('\uFEFF{}')).toEqual({})
})

test('tells one event, an array and a batch apart', () => {
  expect(parse({ api_key: 'k', ...event })).toMatchObject({ apiKey: 'k', isSingle: true })
  expect(parse([{ ...event, api_key: 'k' }, event])).toMatchObject({ apiKey: 'k', isSingle: false })
  expect(parse({ api_key: 'k', batch: [event], sent_at: 's', historical_migration: true })).toMatchObject({
    apiKey: 'k',
    events: [event],
    sentAt: 's',
    historicalMigration: true,
  })
})

test('finds the key in api_key, token and properties.token', () => {
  expect(parse({ token: ' k ', batch: [] }).apiKey).toBe('k')
  expect(parse({ ...event, properties: { token: 'k' } }).apiKey).toBe('k')
  expect(parse({ batch: [{ ...event, properties: { token: 'k' } }] }).apiKey).toBe('k')
  expect(parse({ api_key: '', ...event }).apiKey).toBeNull()
  expect(parse({ api_key: 5, ...event }).apiKey).toBeNull()
})

test('refuses an array of events of several projects', () => {
  expect(() =>
    parse([
      { ...event, token: 'a' },
      { ...event, token: 'b' },
    ]),
  ).toThrow(/same project api key/)
})

test.each([
  ['', 'empty_body'],
  ['{"a":', 'invalid_json'],
  ['"text"', 'invalid_shape'],
  ['null', 'invalid_shape'],
  ['{"api_key":"k","batch":{}}', 'invalid_batch'],
  ['{"api_key":"k","batch":null}', 'invalid_batch'],
  ['{"api_key":"k","batch":[],"historical_migration":"true"}', 'invalid_historical_migration'],
  ['{"api_key":"k","event":"e","distinct_id":"u","historical_migration":1}', 'invalid_historical_migration'],
])('refuses %j with %s', (text, code) => {
  expect(() => parseRequest(text)).toThrow(
    expect.objectContaining({ status: 400, body: expect.objectContaining({ code }) }),
  )
})
