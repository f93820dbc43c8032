import { gzipSync } from 'node:zlib'
import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { isMembers } from '../../../src/service/json/json-members.ts'
import { readEvents } from '../../../src/service/ingest/read-events.ts'
import { objectText, valueText } from '../support/json-text.ts'
import { readParsedEvents } from '../support/read-parsed-events.ts'

const receivedAt = Date.parse('2026-05-01T12:00:00.000Z')
const row = (body: unknown, format: object = {}) => ({
  id: 1,
  projectId: 1,
  receivedAt,
  address: null,
  form: JSON.stringify(format),
  body: gzipSync(JSON.stringify(body)),
})

test('returns the valid events, each with its index in the request', () => {
  const events = readEvents(
    row({
      api_key: 'k',
      batch: [{ event: 'a', distinct_id: 'u' }, { event: '' }, 7, { event: 'b', distinct_id: 'u' }],
    }),
  )
  expect(events.map(({ index, event }) => [index, event])).toEqual([
    [0, 'a'],
    [3, 'b'],
  ])
})

test('returns well-formed uuids in lower case, and ignores others', () => {
  const uuid = '018F4B2E-0000-7000-8000-0000000000AB'
  const [good, bad] = readEvents(
    row([
      { event: 'a', distinct_id: 'u', uuid },
      { event: 'a', distinct_id: 'u', uuid: 'x' },
    ]),
  )
  expect(good?.uuid).toBe(uuid.toLowerCase())
  expect(bad?.uuid).toBeUndefined()
})

test('merges $set, $set_once and $unset of the event into its properties', () => {
  const read = (envelope: object, properties: object) =>
    readEvents(row({ event: 'a', distinct_id: 'u', ...envelope, properties }))[0]?.properties
  expect(
    read(
      { $set: { a: 1 }, $set_once: { b: 1 }, $unset: ['c', 'd'] },
      { $set: { a: 2, e: 2 }, $unset: ['d', 'f'], plan: 'pro' },
    ),
  ).toEqual({ $set: { a: 1, e: 2 }, $set_once: { b: 1 }, $unset: ['d', 'f', 'c'], plan: 'pro' })
  expect(read({ $set: null, $unset: 'x' }, { $set: { a: 1 }, $unset: ['b'] })).toEqual({
    $set: { a: 1 },
    $unset: ['b'],
  })
  const named = JSON.parse('{"$set": {"__proto__": 1}}')
  expect(JSON.stringify(read(named, { $set: { a: 1 } }))).toBe('{"$set":{"a":1,"__proto__":1}}')
})

const namesOf = (events: readonly { event: string }[]) => events.map(({ event }) => event)

test('returns events in the order in which they happened', () => {
  const at = (event: string, timestamp?: string) => ({ event, distinct_id: 'u', timestamp })
  const batch = [
    at('third', '2026-05-01T10:00:00.003Z'),
    at('last'),
    at('first', '2026-05-01T10:00:00.001Z'),
    at('second', '2026-05-01T12:00:00.002+02:00'),
  ]
  expect(namesOf(readEvents(row({ batch })))).toEqual(['first', 'second', 'third', 'last'])
  expect(readEvents(row({ batch })).map(({ index }) => index)).toEqual([2, 3, 0, 1])
})

test('keeps the order of a historical migration', () => {
  const batch = [3, 1, 2].map((day) => ({ event: `day ${day}`, distinct_id: 'u', timestamp: `2026-01-0${day}` }))
  expect(namesOf(readEvents(row({ batch, historical_migration: true })))).toEqual(['day 3', 'day 1', 'day 2'])
})

test('uses the first valid uuid of uuid, messageId and message_id', () => {
  const [first, second] = ['0b1c2d3e-4f50-4a6b-8c7d-9e0f1a2b3c4d', '1b1c2d3e-4f50-4a6b-8c7d-9e0f1a2b3c4d']
  const uuidOf = (ids: object) => readEvents(row({ batch: [{ event: 'a', distinct_id: 'u', ...ids }] }))[0]!.uuid
  expect(uuidOf({ uuid: first, messageId: second, message_id: second })).toBe(first)
  expect(uuidOf({ uuid: '', messageId: first.toUpperCase(), message_id: second })).toBe(first)
  expect(uuidOf({ messageId: 'ajs-1', message_id: first })).toBe(first)
  expect(uuidOf({ messageId: 5 })).toBeUndefined()
})

test('corrects clocks by sent_at or `_` unless an event or migration excludes it', () => {
  const timestamp = '2026-05-01T10:00:00.000Z'
  const sent_at = '2026-05-01T11:00:00.000Z'
  const event = { event: 'a', distinct_id: 'u', timestamp }
  const at = (body: unknown, format?: object) => new Date(readEvents(row(body, format))[0]!.timestamp).toISOString()
  expect(at({ batch: [event], sent_at })).toBe('2026-05-01T11:00:00.000Z')
  expect(at([event], { sentAt: Date.parse(sent_at) })).toBe('2026-05-01T11:00:00.000Z')
  expect(at({ batch: [event], sentAt: sent_at })).toBe('2026-05-01T11:00:00.000Z')
  expect(at({ batch: [event], sent_at, historical_migration: true })).toBe(timestamp)
  expect(at({ batch: [{ ...event, properties: { $ignore_sent_at: true } }], sent_at })).toBe(timestamp)
})

/** Bodies that begin with a space are parsed, and others scanned if they are usual. */
const readBoth = (body: string, format: object = {}) => {
  const read = (text: string) => {
    const body = Buffer.from(text)
    return readParsedEvents({ id: 1, projectId: 1, receivedAt, address: null, form: JSON.stringify(format), body })
  }
  return { scanned: read(body), parsed: read(` ${body}`) }
}

const field = (name: string, value: fc.Arbitrary<string>) => value.map((text) => `"${name}":${text}`)
const times = fc.constantFrom(
  '"2026-05-01T11:59:00Z"',
  '"2026-05-01"',
  '1777636800000',
  '"never"',
  'null',
  '"\\u0032026-05-01"',
)
const eventText = fc
  .array(
    fc.oneof(
      { weight: 6, arbitrary: field('event', fc.constantFrom('"a"', '"$identify"', '" "', '""', '7', '"\\u0061"')) },
      {
        weight: 6,
        arbitrary: field(
          'distinct_id',
          fc.constantFrom('"ada"', '"é"', '7', '1e3', '7.5', 'null', '" "', '"a\\u0000"'),
        ),
      },
      { weight: 6, arbitrary: field('properties', objectText) },
      { weight: 3, arbitrary: field('timestamp', times) },
      field('properties', fc.constantFrom('null', '[]', '{"distinct_id":"p"}', '{"$ignore_sent_at":true}')),
      field('uuid', fc.constantFrom('"018F4B2E-0000-7000-8000-0000000000AB"', '"x"', '7')),
      field('offset', fc.constantFrom('5000', '-1', '"1"')),
      field('messageId', fc.constant('"018f4b2e-0000-7000-8000-0000000000ac"')),
      field('$set', objectText),
      field('$unset', fc.constant('["plan"]')),
      field('other', valueText),
    ),
    { minLength: 2, maxLength: 9 },
  )
  .map((fields) => `{${fields.join(',')}}`)
const eventsText = fc
  .array(fc.oneof({ weight: 9, arbitrary: eventText }, valueText), { maxLength: 6 })
  .map((events) => `[${events.join(' , ')}]`)
const requestText = fc.oneof(
  eventsText,
  eventText,
  fc
    .tuple(
      eventsText,
      fc.array(fc.oneof(field('sent_at', times), field('sentAt', times), field('x', valueText)), { maxLength: 3 }),
    )
    .map(([events, fields]) => `{${[...fields, `"batch" : ${events}`, ...fields.slice(1)].join(',')}}`),
)

test('reads the same events whether a request is scanned or parsed', () => {
  fc.assert(
    fc.property(requestText, (text) => {
      const { scanned, parsed } = readBoth(text)
      expect(scanned).toEqual(parsed)
    }),
    { numRuns: 2000 },
  )
})

test('does not parse the properties of usual events', () => {
  const event = { event: 'a', distinct_id: 'u', properties: { plan: 'pro', $set: { a: 1 } } }
  const read = (body: unknown) =>
    readEvents(row(body)).map((item) => [isMembers(item.properties), item.knownProperties])
  const expected = [true, { $set: { a: 1 } }]
  expect(read({ api_key: 'k', batch: [event, event], sent_at: '2026-05-01T12:00:00Z' })).toEqual([expected, expected])
  expect(read({ api_key: 'k', ...event })).toEqual([expected])
  expect(read([event])).toEqual([expected])
})

test('refuses bytes that are not valid UTF-8', () => {
  const body = Buffer.from('{"event":"a","distinct_id":"u","properties":{"x":"?"}}')
  body[body.indexOf('?')] = 0xff
  expect(() => readEvents({ ...row({}), body })).toThrow('UTF-8')
})

test('parses events that are a small part of their body, which they would keep in memory', () => {
  const isKept = (body: unknown) => readEvents(row(body)).map(({ properties }) => isMembers(properties))
  const event = { event: 'a', distinct_id: 'u', properties: { plan: 'pro', text: 'x'.repeat(200) } }
  expect(isKept({ api_key: 'k', batch: [event] })).toEqual([true])
  expect(isKept({ api_key: 'k', junk: 'x'.repeat(2000), batch: [event, event] })).toEqual([false, false])
})
