import { expect, test } from 'vitest'
import { parseJson, parseRequest } from '../../../src/service/ingest/parse-request.ts'

const parse = (value: unknown) => parseRequest(JSON.stringify(value))
const event = { event: 'e', distinct_id: 'u' }

test('parses JSON after a byte order mark', () => {
  expect(parseJson('\uFEFF{}')).toEqual({})
})

test('distinguishes one event, an array and a batch', () => {
  expect(parse({ api_key: 'k', ...event })).toMatchObject({ apiKey: 'k', isSingle: true })
  expect(parse([{ ...event, api_key: 'k' }, event])).toMatchObject({ apiKey: 'k', isSingle: false })
  expect(parse({ api_key: 'k', batch: [event], sent_at: 's', historical_migration: true })).toMatchObject({
    apiKey: 'k',
    events: [event],
    sentAt: 's',
    historicalMigration: true,
  })
})

test('reads the API key in api_key, token and properties.token', () => {
  expect(parse({ token: ' k ', batch: [] }).apiKey).toBe('k')
  expect(parse({ ...event, properties: { token: 'k' } }).apiKey).toBe('k')
  expect(parse({ batch: [{ ...event, properties: { token: 'k' } }] }).apiKey).toBe('k')
  expect(parse({ api_key: '', ...event }).apiKey).toBeNull()
  expect(parse({ api_key: 5, ...event }).apiKey).toBeNull()
})

test('rejects an array with events of several projects', () => {
  expect(() =>
    parse([
      { ...event, token: 'a' },
      { ...event, token: 'b' },
    ]),
  ).toThrow(/different project API keys/)
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
])('rejects the body %j with %s', (body, code) => {
  expect(() => parseRequest(body)).toThrow(
    expect.objectContaining({ status: 400, body: expect.objectContaining({ code }) }),
  )
})
