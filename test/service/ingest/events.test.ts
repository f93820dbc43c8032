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

test('moves $set, $set_once and $unset of the envelope into the properties, where they win', () => {
  const [event] = readEvents(
    row({
      event: 'a',
      distinct_id: 'u',
      $set: { a: 1 },
      $set_once: { b: 1 },
      $unset: ['c'],
      properties: { $set: { a: 2 } },
    }),
  )
  expect(event?.properties).toEqual({ $set: { a: 2 }, $set_once: { b: 1 }, $unset: ['c'] })
})

test('corrects a wrong clock by sent_at or by the query parameter, but never in an import or where told not to', () => {
  const timestamp = '2026-05-01T10:00:00.000Z'
  const sent_at = '2026-05-01T11:00:00.000Z'
  const event = { event: 'a', distinct_id: 'u', timestamp }
  const at = (body: unknown, form?: object) => new Date(readEvents(row(body, form))[0]!.timestamp).toISOString()
  expect(at({ batch: [event], sent_at })).toBe('2026-05-01T11:00:00.000Z')
  expect(at([event], { sentAt: Date.parse(sent_at) })).toBe('2026-05-01T11:00:00.000Z')
  expect(at({ batch: [event], sent_at, historical_migration: true })).toBe(timestamp)
  expect(at({ batch: [{ ...event, properties: { $ignore_sent_at: true } }], sent_at })).toBe(timestamp)
})
