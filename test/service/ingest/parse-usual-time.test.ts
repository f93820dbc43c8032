import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { parseUsualTime } from '../../../src/service/ingest/parse-usual-time.ts'
import { parseIsoTime } from '../../../src/wire/parse-iso-time.ts'

test('parses what `toJSON` writes', () => {
  const date = fc.date({ min: new Date('0100-01-01'), max: new Date('9999-12-31T23:59:59Z'), noInvalidDate: true })
  fc.assert(
    fc.property(date, (time) => {
      expect(parseUsualTime(time.toJSON())).toBe(time.getTime())
    }),
  )
})

test('refuses what does not exist, as the parser of all forms does', () => {
  const two = fc.nat(99).map((number) => String(number).padStart(2, '0'))
  const time = fc
    .tuple(fc.constantFrom('2024', '2025', '1900', '0099', '20x4'), two, two, two, two, two)
    .map(([year, month, day, hour, minute, second]) => `${year}-${month}-${day}T${hour}:${minute}:${second}.123Z`)
  fc.assert(
    fc.property(time, (string) => {
      const parsed = parseUsualTime(string)
      if (!Number.isNaN(parsed)) expect(parsed).toBe(parseIsoTime(string))
      // Two forms are left to that parser: years below 100, and leap seconds.
      else if (!string.startsWith('00') && !string.includes(':60.')) expect(parseIsoTime(string)).toBeNull()
    }),
    { numRuns: 3000 },
  )
})

test.each(['2024-02-30T00:00:00.000Z', '2023-02-29T00:00:00.000Z', '2024-13-01T00:00:00.000Z', '2024-02-29T00:00:00Z'])(
  'leaves %s to the parser of all forms',
  (string) => expect(parseUsualTime(string)).toBeNaN(),
)
