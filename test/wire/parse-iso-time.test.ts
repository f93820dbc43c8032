import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { parseIsoTime } from '../../src/wire/parse-iso-time.ts'

const toIso = (text: string) => {
  const time = parseIsoTime(text)
  return time === null ? null : new Date(time).toISOString()
}

test('parses the ISO strings of dates, in both forms', () => {
  const dates = fc.date({
    min: new Date('0000-01-01T00:00:00Z'),
    max: new Date('9999-12-31T23:59:59Z'),
    noInvalidDate: true,
  })
  fc.assert(
    fc.property(dates, (date) => {
      const text = date.toISOString()
      expect(toIso(text)).toBe(text)
      expect(toIso(text.replaceAll(/[:-]/g, ''))).toBe(text)
    }),
  )
})

test.each([
  ['2026-05-01T12:30', '2026-05-01T12:30:00.000Z'],
  ['20260501T1230+02', '2026-05-01T10:30:00.000Z'],
  ['2016-12-31T23:59:60Z', '2017-01-01T00:00:00.000Z'],
  ['2017-01-01T00:59:60.5+01:00', '2017-01-01T00:00:00.500Z'],
  ['2024-02-29', '2024-02-29T00:00:00.000Z'],
])('reads %s as %s', (text, expected) => {
  expect(toIso(text)).toBe(expected)
})

test.each([
  '2023-02-29',
  '2026-04-31T10:00:00Z',
  '20230229',
  '2026-05-01T25:00Z',
  '2026-05-01T12:00:60Z',
  '2016-12-31T23:59:61Z',
  '2016-12-31T23:59:60+01:00',
  '2026-0501',
  '20260501T12:00:00Z',
  '1700000000',
  'May 1 2026',
  '',
])('returns null for %j', (text) => {
  expect(parseIsoTime(text)).toBeNull()
})
