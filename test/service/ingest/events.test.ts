import { gzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { readEvents } from '../../../src/service/ingest/events.ts'

const receivedAt = Date.parse('2026-05-01T12:00:00.000Z')
const row = (body: unknown, form: object = {}) => ({
  id: 1,
  projectId: 1,
  receivedAt,
  address: null,
  form: JSON.stringify(form),
  body: gzipSync(JSON.stringify(body)),
})

test('numbers events by their place in the request and leaves dropped ones out', () => {
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

test('keeps a well-formed uuid in lower case and no other', () => {
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

test('joins $set, $set_once and $unset of the envelope with those of the properties; the envelope wins', () => {
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

const named = (events: readonly { event: string }[]) => events.map(({ event }) => event)

test('gives events in the order in which they happened, whatever their places', () => {
  const at = (event: string, timestamp?: string) => ({ event, distinct_id: 'u', timestamp })
  const batch = [
    at('third', '2026-05-01T10:00:00.003Z'),
    at('last'),
    at('first', '2026-05-01T10:00:00.001Z'),
    at('second', '2026-05-01T12:00:00.002+02:00'),
  ]
  expect(named(readEvents(row({ batch })))).toEqual(['first', 'second', 'third', 'last'])
  expect(readEvents(row({ batch })).map(({ index }) => index)).toEqual([2, 3, 0, 1])
})

test('keeps the places of a historical migration', () => {
  const batch = [3, 1, 2].map((day) => ({ event: `day ${day}`, distinct_id: 'u', timestamp: `2026-01-0${day}` }))
  expect(named(readEvents(row({ batch, historical_migration: true })))).toEqual(['day 3', 'day 1', 'day 2'])
})

test('knows an event by the first of uuid, messageId and message_id that is a uuid', () => {
  const [one, other] = ['0b1c2d3e-4f50-4a6b-8c7d-9e0f1a2b3c4d', '1b1c2d3e-4f50-4a6b-8c7d-9e0f1a2b3c4d']
  const uuidOf = (ids: object) => readEvents(row({ batch: [{ event: 'a', distinct_id: 'u', ...ids }] }))[0]!.uuid
  expect(uuidOf({ uuid: one, messageId: other, message_id: other })).toBe(one)
  expect(uuidOf({ uuid: '', messageId: one.toUpperCase(), message_id: other })).toBe(one)
  expect(uuidOf({ messageId: 'ajs-1', message_id: one })).toBe(one)
  expect(uuidOf({ messageId: 5 })).toBeUndefined()
})

test('corrects a wrong clock by sent_at or by the query parameter, but never in an import or where told not to', () => {
  const timestamp = '2026-05-01T10:00:00.000Z'
  const sent_at = '2026-05-01T11:00:00.000Z'
  const event = { event: 'a', distinct_id: 'u', timestamp }
  const at = (body: unknown, form?: object) => new Date(readEvents(row(body, form))[0]!.timestamp).toISOString()
  expect(at({ batch: [event], sent_at })).toBe('2026-05-01T11:00:00.000Z')
  expect(at([event], { sentAt: Date.parse(sent_at) })).toBe('2026-05-01T11:00:00.000Z')
  expect(at({ batch: [event], sentAt: sent_at })).toBe('2026-05-01T11:00:00.000Z')
  expect(at({ batch: [event], sent_at, historical_migration: true })).toBe(timestamp)
  expect(at({ batch: [{ ...event, properties: { $ignore_sent_at: true } }], sent_at })).toBe(timestamp)
})
