import { describe, expect, it } from 'vitest'
import { parseDateRange } from '../../../../src/service/insight/time/date-range.ts'
import { UTC_CALENDAR } from '../../../../src/service/insight/time/calendar.ts'
import type { Json, JsonObject } from '../../../../src/wire/json.ts'

const NOW = Date.UTC(2026, 2, 31, 12, 34, 56)
const parse = (range: JsonObject) => {
  const { from, before } = parseDateRange(range, 'filters', { now: NOW, calendar: UTC_CALENDAR })
  return [from, before].map((time) => (time === undefined ? undefined : new Date(time).toISOString()))
}

describe('parseDateRange', () => {
  it.each<JsonObject>([{}, { date_from: 'all' }, { date_from: null, date_to: null }, { date_from: '', date_to: '' }])(
    'is open for %j',
    (range) => {
      expect(parse(range)).toEqual([undefined, undefined])
    },
  )

  it.each([
    ['-30M', '2026-03-31T12:04:56.000Z'],
    ['-24h', '2026-03-30T12:34:56.000Z'],
    ['-7d', '2026-03-24T12:34:56.000Z'],
    ['2w', '2026-03-17T12:34:56.000Z'],
    ['-1m', '2026-02-28T12:34:56.000Z'],
    ['-1q', '2025-12-31T12:34:56.000Z'],
    ['-1y', '2025-03-31T12:34:56.000Z'],
    ['hStart', '2026-03-31T12:00:00.000Z'],
    ['dStart', '2026-03-31T00:00:00.000Z'],
    ['-1dStart', '2026-03-30T00:00:00.000Z'],
    ['-1dEnd', '2026-03-31T00:00:00.000Z'],
    ['wStart', '2026-03-29T00:00:00.000Z'],
    ['-1mStart', '2026-02-01T00:00:00.000Z'],
    ['qStart', '2026-01-01T00:00:00.000Z'],
    ['yStart', '2026-01-01T00:00:00.000Z'],
    ['2026-01-02', '2026-01-02T00:00:00.000Z'],
    ['2026-01-02T03:04:05+01:00', '2026-01-02T02:04:05.000Z'],
  ])('begins with %s at %s', (date_from, from) => {
    expect(parse({ date_from })).toEqual([from, undefined])
  })

  it.each([
    ['2026-01-02', '2026-01-03T00:00:00.000Z'],
    ['2026-01-02T03:04:05Z', '2026-01-02T03:04:05.001Z'],
    ['-1dEnd', '2026-03-31T00:00:00.000Z'],
    ['-1dStart', '2026-03-30T00:00:00.000Z'],
    ['-1h', '2026-03-31T11:34:56.001Z'],
  ])('includes the end %s: ends before %s', (date_to, before) => {
    expect(parse({ date_to })).toEqual([undefined, before])
  })

  it.each<Json>([1, true, 'd', 'yesterday', '-99999d', '-9999q', '2026-02-30', {}])('refuses %j', (date_from) => {
    expect(() => parse({ date_from })).toThrow('filters.date_from must be an ISO 8601 date or time')
  })
})
