import { expect, test } from 'vitest'
import { toEvent } from '../../src/import/to-event.ts'
import { createRowUuid } from '../../src/import/row-uuid.ts'
import type { JsonObject } from '../../src/wire/json.ts'
import { checkEvent } from '../../src/wire/check-event.ts'

const ROW = { event: 'paid', distinct_id: 'u', timestamp: '2024-01-31T09:00:00Z' }
const CREATED = '00000000-0000-7000-8000-000000000000'
const convert = (fields: JsonObject) => {
  const event = toEvent(fields, () => CREATED)
  return typeof event === 'string' ? JSON.parse(event) : event
}

test('has the distinct id at the top level and among the properties', () => {
  expect(convert({ ...ROW, properties: { a: 1 } })).toEqual({
    ...ROW,
    uuid: CREATED,
    properties: { a: 1, distinct_id: 'u' },
  })
  expect(convert({ ...ROW, distinct_id: null, properties: { distinct_id: 'p' } })).toMatchObject({ distinct_id: 'p' })
})

test('keeps the uuid under each of its names, and replaces an invalid one', () => {
  const uuid = '018D5F6E-0000-7000-8000-000000000001'
  expect(convert({ ...ROW, uuid }).uuid).toBe(uuid)
  expect(convert({ ...ROW, messageId: uuid }).uuid).toBe(uuid)
  expect(convert({ ...ROW, uuid: 'row 7' }).uuid).toBe(CREATED)
})

test.each([
  '00000000-0000-0000-0000-000000000000',
  'ffffffff-ffff-ffff-ffff-ffffffffffff',
  'FFFFFFFF-FFFF-FFFF-FFFF-FFFFFFFFFFFF',
])('treats %s as a missing uuid', (filler) => {
  const messageId = '018d5f6e-0000-7000-8000-000000000001'
  expect(convert({ ...ROW, uuid: filler }).uuid).toBe(CREATED)
  expect(convert({ ...ROW, uuid: filler, messageId }).uuid).toBe(messageId)
})

test('reads properties from JSON, and keeps person changes and elements_chain', () => {
  expect(convert({ ...ROW, properties: '{"a":1}', $set: { plan: 'pro' }, elements_chain: 'a:href="/"' })).toMatchObject(
    {
      properties: { a: 1, $elements_chain: 'a:href="/"' },
      $set: { plan: 'pro' },
    },
  )
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
])('rejects the row with its reason (case %#: %s)', (fields, reason) => {
  expect(convert(fields)).toEqual({ reason, detail: expect.any(String) })
})

test.each([
  [1706691600, 'If it is a number of seconds since 1970, it means 2024-01-31T09:00:00.000Z.'],
  ['1706691600123', 'If it is a number of milliseconds since 1970, it means 2024-01-31T09:00:00.123Z.'],
])('rejects the timestamp %j and suggests its time', (timestamp, suggestion) => {
  expect(convert({ ...ROW, timestamp }).detail).toContain(suggestion)
})

test('creates events that pass the check of the service', () => {
  expect(checkEvent(convert({ ...ROW, distinct_id: 7 }))).toMatchObject({ kind: 'event', event: { distinctId: '7' } })
})

test('creates a uuid v7 with the time of the event, the same for the same row only', () => {
  const timestampMs = Date.parse('2024-01-31T09:00:00Z')
  const uuidOf = (rowIndex: number, row: string, atMs = timestampMs) => createRowUuid(atMs, rowIndex, Buffer.from(row))
  expect(uuidOf(1, 'a')).toBe(uuidOf(1, 'a'))
  expect(uuidOf(1, 'a')).toMatch(/^018d5ebf-1e80-7[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/)
  expect(new Set([uuidOf(1, 'a'), uuidOf(2, 'a'), uuidOf(1, 'b'), uuidOf(11, 'a'), uuidOf(1, '1\na')]).size).toBe(5)
  expect(uuidOf(1, 'a', Date.parse('1969-12-31'))).toMatch(/^00000000-0000-7/)
})
