import { expect, test } from 'vitest'
import { resolveTimestamp } from '../../../src/service/ingest/timestamp.ts'

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

test('takes the moment of arrival when nothing else is said', () => {
  expect(resolve({})).toBe('2026-05-01T12:00:00.000Z')
  expect(resolve({ timestamp: 'yesterday' })).toBe('2026-05-01T12:00:00.000Z')
})

test('reads ISO 8601 with any zone, without one as UTC, and milliseconds', () => {
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

test('counts an offset back from the arrival', () => {
  expect(resolve({ offset: 1500 })).toBe('2026-05-01T11:59:58.500Z')
  expect(resolve({ offset: -5 })).toBe('2026-05-01T12:00:00.000Z')
})

test('corrects a clock that is wrong, and leaves the time a request was on its way', () => {
  const timestamp = '2026-05-01T10:00:00.000Z'
  expect(resolve({ timestamp, sentAt: '2026-05-01T10:00:05.000Z' })).toBe('2026-05-01T11:59:55.000Z')
  expect(resolve({ timestamp, sentAt: '2026-05-01T11:59:30.000Z' })).toBe(timestamp)
  expect(resolve({ timestamp, sentAt: '2026-05-01T10:00:05.000Z', isCorrected: false })).toBe(timestamp)
})

test('does not believe in the future, except in an import', () => {
  expect(resolve({ timestamp: '2027-01-01T00:00:00Z' })).toBe('2026-05-01T12:00:00.000Z')
  expect(resolve({ timestamp: '2026-05-02T10:00:00Z' })).toBe('2026-05-02T10:00:00.000Z')
  expect(resolve({ timestamp: '2027-01-01T00:00:00Z', isCorrected: false })).toBe('2027-01-01T00:00:00.000Z')
})
