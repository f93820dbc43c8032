import { expect, test } from 'vitest'
import { resolveTimestamp } from '../../../src/service/ingest/resolve-timestamp.ts'

const receivedAt = Date.parse('2026-05-01T12:00:00.000Z')
const resolve = (source: object) =>
  new Date(
    resolveTimestamp({
      timestamp: undefined,
      offset: undefined,
      sentAt: undefined,
      receivedAt,
      isCorrected: true,
      ...source,
    }),
  ).toISOString()

test('uses the time of arrival for an event without a valid timestamp', () => {
  expect(resolve({})).toBe('2026-05-01T12:00:00.000Z')
  expect(resolve({ timestamp: 'yesterday' })).toBe('2026-05-01T12:00:00.000Z')
})

test('reads ISO 8601 times in any zone, UTC by default, and milliseconds', () => {
  expect(resolve({ timestamp: '2026-05-01T10:00:00.5+02:00' })).toBe('2026-05-01T08:00:00.500Z')
  expect(resolve({ timestamp: '2026-05-01T10:00:00' })).toBe('2026-05-01T10:00:00.000Z')
  expect(resolve({ timestamp: '2026-05-01 10:00:00.123456' })).toBe('2026-05-01T10:00:00.123Z')
  expect(resolve({ timestamp: '2026-05-01 10:00:00.5+02' })).toBe('2026-05-01T08:00:00.500Z')
  expect(resolve({ timestamp: '2026-05-01t10:00:00,25-0130' })).toBe('2026-05-01T11:30:00.250Z')
  expect(resolve({ timestamp: '20260501T100000,5+0200' })).toBe('2026-05-01T08:00:00.500Z')
  expect(resolve({ timestamp: '2016-12-31T23:59:60.25Z' })).toBe('2017-01-01T00:00:00.250Z')
  expect(resolve({ timestamp: '2026-05-01' })).toBe('2026-05-01T00:00:00.000Z')
  expect(resolve({ timestamp: receivedAt - 1000 })).toBe('2026-05-01T11:59:59.000Z')
})

test('subtracts an offset from the time of arrival', () => {
  expect(resolve({ offset: 1500 })).toBe('2026-05-01T11:59:58.500Z')
  expect(resolve({ offset: -5 })).toBe('2026-05-01T12:00:00.000Z')
})

test('corrects a clock error of over a minute, but not the delay of a request', () => {
  const timestamp = '2026-05-01T10:00:00.000Z'
  expect(resolve({ timestamp, sentAt: '2026-05-01T10:00:05.000Z' })).toBe('2026-05-01T11:59:55.000Z')
  expect(resolve({ timestamp, sentAt: '2026-05-01T11:59:30.000Z' })).toBe(timestamp)
  expect(resolve({ timestamp, sentAt: '2026-05-01T10:00:05.000Z', isCorrected: false })).toBe(timestamp)
})

test('replaces a time in the future by the time of arrival except in a migration', () => {
  expect(resolve({ timestamp: '2027-01-01T00:00:00Z' })).toBe('2026-05-01T12:00:00.000Z')
  expect(resolve({ timestamp: '2026-05-02T10:00:00Z' })).toBe('2026-05-02T10:00:00.000Z')
  expect(resolve({ timestamp: '2027-01-01T00:00:00Z', isCorrected: false })).toBe('2027-01-01T00:00:00.000Z')
})
