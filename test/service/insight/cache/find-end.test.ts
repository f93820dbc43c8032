import { expect, test } from 'vitest'
import { findEnd } from '../../../../src/service/insight/cache/find-end.ts'
import type { JsonObject } from '../../../../src/wire/json.ts'

const NOW = Date.UTC(2026, 0, 15, 12, 30, 40)

test.each<[JsonObject, string]>([
  [{}, '2026-01-15T15:00'],
  [{ interval: 'week', dateRange: { date_from: '-7d' } }, '2026-01-15T15:00'],
  [{ interval: 'hour' }, '2026-01-15T13:00'],
  [{ interval: 'minute' }, '2026-01-15T12:31'],
  [{ interval: 'day', dateRange: { date_from: '-24h' } }, '2026-01-15T13:00'],
  [{ interval: 'hour', dateRange: { date_from: '-1d', date_to: '-5M' } }, '2026-01-15T12:31'],
  [{ retentionFilter: { period: 'Hour' } }, '2026-01-15T13:00'],
  [{ dateRange: { date_from: 'hStart' } }, '2026-01-15T13:00'],
  [{ funnelPathsFilter: { funnelSource: { dateRange: { date_from: '-24h' } } } }, '2026-01-15T13:00'],
  [{ dateRange: null, retentionFilter: null, interval: null }, '2026-01-15T15:00'],
])('the dates of %j mean others from %s on', (query, time) => {
  const calendar = { timeZone: 'Asia/Tokyo', weekStart: 'sunday' } as const
  expect(findEnd(query, { now: NOW, calendar })).toBe(Date.parse(`${time}:00Z`))
})

test('moments mean others at once', () => {
  const calendar = { timeZone: 'UTC', weekStart: 'sunday' } as const
  expect(findEnd({ dateRange: { explicitDate: true } }, { now: NOW, calendar })).toBe(NOW)
})
