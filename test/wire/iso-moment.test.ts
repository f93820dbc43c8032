import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { isoMoment } from '../../src/wire/iso-moment.ts'

const at = (text: string) => {
  const moment = isoMoment(text)
  return moment === null ? null : new Date(moment).toISOString()
}

test('reads back what dates write of themselves, in both forms', () => {
  const dates = fc.date({
    min: new Date('0000-01-01T00:00:00Z'),
    max: new Date('9999-12-31T23:59:59Z'),
    noInvalidDate: true,
  })
  fc.assert(
    fc.property(dates, (date) => {
      const text = date.toISOString()
      expect(at(text)).toBe(text)
      expect(at(text.replaceAll(/[:-]/g, ''))).toBe(text)
    }),
  )
})

test.each([
  ['2026-05-01T12:30', '2026-05-01T12:30:00.000Z'],
  ['20260501T1230+02', '2026-05-01T10:30:00.000Z'],
  ['2016-12-31T23:59:60Z', '2017-01-01T00:00:00.000Z'],
  ['2017-01-01T00:59:60.5+01:00', '2017-01-01T00:00:00.500Z'],
  ['2024-02-29', '2024-02-29T00:00:00.000Z'],
])('reads %s as %s', (text, moment) => {
  expect(at(text)).toBe(moment)
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
])('reads no moment in %j', (text) => {
  expect(isoMoment(text)).toBeNull()
})
