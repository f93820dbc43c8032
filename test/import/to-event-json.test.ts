import { expect, test } from 'vitest'
import { toEventJson } from '../../src/import/to-event-json.ts'
import { createRowUuid } from '../../src/import/row-uuid.ts'
import type { JsonObject } from '../../src/wire/json.ts'
import { checkEvent } from '../../src/wire/check-event.ts'

const FIELDS = { event: 'paid', distinct_id: 'u', timestamp: '2024-01-31T09:00:00Z' }
const CREATED_UUID = '00000000-0000-7000-8000-000000000000'
const convert = (fields: JsonObject) => {
  const event = toEventJson(fields, () => CREATED_UUID)
  return typeof event === 'string' ? JSON.parse(event) : event
}

test('writes the distinct id at the top level and among the properties', () => {
  expect(convert({ ...FIELDS, properties: { a: 1 } })).toEqual({
    ...FIELDS,
    uuid: CREATED_UUID,
    properties: { a: 1, distinct_id: 'u' },
  })
  expect(convert({ ...FIELDS, distinct_id: null, properties: { distinct_id: 'p' } })).toMatchObject({
    distinct_id: 'p',
  })
})

test('reads the uuid from "uuid" or "messageId", and replaces an invalid uuid', () => {
  const uuid = '018D5F6E-0000-7000-8000-000000000001'
  expect(convert({ ...FIELDS, uuid }).uuid).toBe(uuid)
  expect(convert({ ...FIELDS, messageId: uuid }).uuid).toBe(uuid)
  expect(convert({ ...FIELDS, uuid: 'row 7' }).uuid).toBe(CREATED_UUID)
})

test.each([
  '00000000-0000-0000-0000-000000000000',
  'ffffffff-ffff-ffff-ffff-ffffffffffff',
  'FFFFFFFF-FFFF-FFFF-FFFF-FFFFFFFFFFFF',
])('treats %s as a missing uuid', (emptyUuid) => {
  const messageId = '018d5f6e-0000-7000-8000-000000000001'
  expect(convert({ ...FIELDS, uuid: emptyUuid }).uuid).toBe(CREATED_UUID)
  expect(convert({ ...FIELDS, uuid: emptyUuid, messageId }).uuid).toBe(messageId)
})

test('parses properties from JSON, and keeps person changes and elements_chain', () => {
  expect(
    convert({ ...FIELDS, properties: '{"a":1}', $set: { plan: 'pro' }, elements_chain: 'a:href="/"' }),
  ).toMatchObject({
    properties: { a: 1, $elements_chain: 'a:href="/"' },
    $set: { plan: 'pro' },
  })
})

test.each([
  [{ ...FIELDS, event: ' ' }, 'no_event_name'],
  [{ ...FIELDS, event: undefined! }, 'no_event_name'],
  [{ ...FIELDS, event: 7 }, 'invalid_event'],
  [{ ...FIELDS, distinct_id: '' }, 'no_distinct_id'],
  [{ ...FIELDS, distinct_id: ['u'] }, 'invalid_event'],
  [{ ...FIELDS, timestamp: null }, 'no_timestamp'],
  [{ ...FIELDS, timestamp: '31/01/2024' }, 'invalid_timestamp'],
  [{ ...FIELDS, timestamp: '2024-02-30' }, 'invalid_timestamp'],
  [{ ...FIELDS, timestamp: '0000-01-01' }, 'invalid_timestamp'],
  [{ ...FIELDS, properties: 'text' }, 'invalid_properties'],
  [{ ...FIELDS, properties: [1] }, 'invalid_properties'],
  [{ ...FIELDS, properties: { text: 'x'.repeat(1_100_000) } }, 'too_large'],
  [{ ...FIELDS, distinct_id: 'u'.repeat(401) }, 'id_too_long'],
])('returns the reason why a row is rejected (case %#: %s)', (fields, reason) => {
  expect(convert(fields)).toEqual({ reason, detail: expect.any(String) })
})

test.each([
  [1706691600, 'If it is a number of seconds since 1970, it means 2024-01-31T09:00:00.000Z.'],
  ['1706691600123', 'If it is a number of milliseconds since 1970, it means 2024-01-31T09:00:00.123Z.'],
])('rejects the timestamp %j and suggests an ISO 8601 time', (timestamp, suggestion) => {
  expect(convert({ ...FIELDS, timestamp }).detail).toContain(suggestion)
})

test('creates events that pass the check of the service', () => {
  expect(checkEvent(convert({ ...FIELDS, distinct_id: 7 }))).toMatchObject({
    kind: 'event',
    event: { distinctId: '7' },
  })
})

test('creates a uuid v7 from the time, index and bytes of a row', () => {
  const timestampMs = Date.parse('2024-01-31T09:00:00Z')
  const createUuid = (rowIndex: number, row: string, rowTimestampMs = timestampMs) =>
    createRowUuid(rowTimestampMs, rowIndex, Buffer.from(row))
  expect(createUuid(1, 'a')).toBe(createUuid(1, 'a'))
  expect(createUuid(1, 'a')).toMatch(/^018d5ebf-1e80-7[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/)
  expect(
    new Set([createUuid(1, 'a'), createUuid(2, 'a'), createUuid(1, 'b'), createUuid(11, 'a'), createUuid(1, '1\na')])
      .size,
  ).toBe(5)
  expect(createUuid(1, 'a', Date.parse('1969-12-31'))).toMatch(/^00000000-0000-7/)
})
