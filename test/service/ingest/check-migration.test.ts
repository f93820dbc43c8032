import { expect, test } from 'vitest'
import { checkMigration } from '../../../src/service/ingest/check-migration.ts'
import { parseRequest } from '../../../src/service/ingest/parse-request.ts'

const event = { event: 'e', distinct_id: 'u' }
const check = (body: object) => checkMigration(parseRequest(JSON.stringify({ api_key: 'k', ...body })))
const httpError = (attr: string) =>
  expect.objectContaining({ status: 400, body: expect.objectContaining({ code: 'invalid_timestamp', attr }) })

test.each([
  '2024-02-29T09:00:00Z',
  '2024-02-29T09:00:00.123456+02:00',
  '2024-02-29T09:00:00-0530',
  '2024-02-29 09:00:00',
  '2024-02-29 09:00:00.123456+00',
  '2024-02-29T09:00:00,5z',
  '2024-02-29T09:00',
  '2024-02-29',
  '20240229T090000Z',
  '20240229T090000.5+0200',
  '20240229',
  '2016-12-31T23:59:60Z',
  '2017-01-01T05:29:60.5+05:30',
])('accepts the migrated time %j', (timestamp) => {
  expect(check({ batch: [{ ...event, timestamp }] })).toBeNull()
})

test.each([
  undefined,
  null,
  '',
  1_700_000_000_000,
  'yesterday',
  'Jan 1 2024',
  '01/02/2024',
  '2023-02-29T09:00:00Z',
  '2024-13-01T09:00:00Z',
  '2024-01-01T25:00:00Z',
  '2024-01-01T09:00:00Z2',
  '2024-01-01T09:00:60Z',
  '2024-01-01T09:00:61Z',
  '20230229T090000Z',
  '2024-0101',
])('rejects the migrated time %j', (timestamp) => {
  const validEvent = { ...event, timestamp: '2024-01-01' }
  expect(check({ batch: [validEvent, validEvent, { ...event, timestamp }] })).toEqual(httpError('batch[2].timestamp'))
  expect(check({ ...event, timestamp })).toEqual(httpError('timestamp'))
})

test('does not check the times of events that are dropped', () => {
  const batch = [{ event: 'e' }, { distinct_id: 'u' }, 5, { ...event, timestamp: '2024-01-01' }]
  expect(check({ batch })).toBeNull()
})
