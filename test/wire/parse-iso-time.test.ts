import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { parseIsoTime } from '../../src/wire/parse-iso-time.ts'

/** Parses a time, and formats it as `Date` does. */
const normalise = (input: string) => {
  const timeMs = parseIsoTime(input)
  return timeMs === null ? null : new Date(timeMs).toISOString()
}

test('parses any date in the extended and in the basic form', () => {
  const dates = fc.date({
    min: new Date('0000-01-01T00:00:00Z'),
    max: new Date('9999-12-31T23:59:59Z'),
    noInvalidDate: true,
  })
  fc.assert(
    fc.property(dates, (date) => {
      const extended = date.toISOString()
      const basic = extended.replaceAll(/[:-]/g, '')
      expect([normalise(extended), normalise(basic)]).toEqual([extended, extended])
    }),
  )
})

test.each([
  ['without seconds and zone', '2026-05-01T12:30', '2026-05-01T12:30:00.000Z'],
  ['with an offset in hours', '20260501T1230+02', '2026-05-01T10:30:00.000Z'],
  ['with a leap second', '2016-12-31T23:59:60Z', '2017-01-01T00:00:00.000Z'],
  ['with a leap second and an offset', '2017-01-01T00:59:60.5+01:00', '2017-01-01T00:00:00.500Z'],
  ['on a leap day, without time', '2024-02-29', '2024-02-29T00:00:00.000Z'],
])('parses a time %s: %s', (_rule, input, expected) => {
  expect(normalise(input)).toBe(expected)
})

test.each([
  ['a leap day in another year', '2023-02-29'],
  ['a day that the month does not have', '2026-04-31T10:00:00Z'],
  ['such a day in the basic form', '20230229'],
  ['hour 25', '2026-05-01T25:00Z'],
  ['a leap second that is not at the end of a day', '2026-05-01T12:00:60Z'],
  ['second 61', '2016-12-31T23:59:61Z'],
  ['a leap second that is not at the end of a day in UTC', '2016-12-31T23:59:60+01:00'],
  ['a date with one separator', '2026-0501'],
  ['a basic date with an extended time', '20260501T12:00:00Z'],
  ['a number of seconds', '1700000000'],
  ['a date in words', 'May 1 2026'],
  ['an empty string', ''],
])('returns null for %s: %j', (_rule, input) => {
  expect(parseIsoTime(input)).toBeNull()
})
