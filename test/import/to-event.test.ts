import { expect, test } from 'vitest'
import { toEvent } from '../../src/import/to-event.ts'
import { rowUuid } from '../../src/import/row-uuid.ts'
import type { JsonObject } from '../../src/wire/json.ts'
import { checkEvent } from '../../src/wire/check-event.ts'

const ROW = { event: 'paid', distinct_id: 'u', timestamp: '2024-01-31T09:00:00Z' }
const MADE = '00000000-0000-7000-8000-000000000000'
const made = (fields: JsonObject) => {
  const event = toEvent(fields, () => MADE)
  return typeof event === 'string' ? JSON.parse(event) : event
}

test('an event has its id at the top and among the properties, where services look for it', () => {
  expect(made({ ...ROW, properties: { a: 1 } })).toEqual({ ...ROW, uuid: MADE, properties: { a: 1, distinct_id: 'u' } })
  expect(made({ ...ROW, distinct_id: null, properties: { distinct_id: 'p' } })).toMatchObject({ distinct_id: 'p' })
})

test('its own uuid is kept, also under the names that other clients give it; what is no uuid is replaced', () => {
  const uuid = '018D5F6E-0000-7000-8000-000000000001'
  expect(made({ ...ROW, uuid }).uuid).toBe(uuid)
  expect(made({ ...ROW, messageId: uuid }).uuid).toBe(uuid)
  expect(made({ ...ROW, uuid: 'row 7' }).uuid).toBe(MADE)
})

test.each([
  '00000000-0000-0000-0000-000000000000',
  'ffffffff-ffff-ffff-ffff-ffffffffffff',
  'FFFFFFFF-FFFF-FFFF-FFFF-FFFFFFFFFFFF',
])('%s, with which exports fill a missing uuid, counts as none', (filler) => {
  const messageId = '018d5f6e-0000-7000-8000-000000000001'
  expect(made({ ...ROW, uuid: filler }).uuid).toBe(MADE)
  expect(made({ ...ROW, uuid: filler, messageId }).uuid).toBe(messageId)
})

test('properties may be JSON in a text; what changes a person beside them goes along; a clicked element becomes a property', () => {
  expect(made({ ...ROW, properties: '{"a":1}', $set: { plan: 'pro' }, elements_chain: 'a:href="/"' })).toMatchObject({
    properties: { a: 1, $elements_chain: 'a:href="/"' },
    $set: { plan: 'pro' },
  })
})

test.each([
  [{ ...ROW, event: ' ' }, 'no_event_name'],
  [{ ...ROW, event: undefined! }, 'no_event_name'],
  [{ ...ROW, event: 7 }, 'invalid_event'],
  [{ ...ROW, distinct_id: '' }, 'no_distinct_id'],
  [{ ...ROW, distinct_id: ['u'] }, 'invalid_event'],
  [{ ...ROW, timestamp: null }, 'no_timestamp'],
  [{ ...ROW, timestamp: '31/01/2024' }, 'invalid_timestamp'],
  [{ ...ROW, timestamp: '2024-02-30' }, 'invalid_timestamp'],
  [{ ...ROW, timestamp: '0000-01-01' }, 'invalid_timestamp'],
  [{ ...ROW, properties: 'text' }, 'invalid_properties'],
  [{ ...ROW, properties: [1] }, 'invalid_properties'],
  [{ ...ROW, properties: { text: 'x'.repeat(21_000_000) } }, 'too_large'],
])('case %#: rejects with %s', (fields, reason) => {
  expect(made(fields)).toEqual({ reason, detail: expect.any(String) })
})

test.each([
  [1706691600, 'If it counts seconds since 1970, it is 2024-01-31T09:00:00.000Z.'],
  ['1706691600123', 'If it counts milliseconds since 1970, it is 2024-01-31T09:00:00.123Z.'],
])('a timestamp of %j is rejected with what it may mean', (timestamp, guess) => {
  expect(made({ ...ROW, timestamp }).detail).toContain(guess)
})

test('what is sent is what the service stores', () => {
  expect(checkEvent(made({ ...ROW, distinct_id: 7 }))).toMatchObject({ kind: 'event', event: { distinctId: '7' } })
})

test('a made uuid is of version 7 with the time of the event, the same for the same row, another for any other', () => {
  const moment = Date.parse('2024-01-31T09:00:00Z')
  const of = (place: number, text: string, at = moment) => rowUuid(at, place, Buffer.from(text))
  expect(of(1, 'a')).toBe(of(1, 'a'))
  expect(of(1, 'a')).toMatch(/^018d5ebf-1e80-7[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/)
  expect(new Set([of(1, 'a'), of(2, 'a'), of(1, 'b'), of(11, 'a'), of(1, '1\na')]).size).toBe(5)
  expect(of(1, 'a', Date.parse('1969-12-31'))).toMatch(/^00000000-0000-7/)
})
