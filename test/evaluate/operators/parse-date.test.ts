import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parseDate, parseRelativeDate } from '../../../src/evaluate/operators/parse-date.ts'
import type { Json } from '../../../src/wire/json.ts'

const iso = (timestamp: number | undefined): string | undefined =>
  timestamp === undefined ? undefined : new Date(timestamp).toISOString()

describe('parseDate', () => {
  it.each<readonly [Json, string]>([
    ['2026-05-01', '2026-05-01T00:00:00.000Z'],
    ['2026-05-01T10:20', '2026-05-01T10:20:00.000Z'],
    ['2026-05-01 10:20:30', '2026-05-01T10:20:30.000Z'],
    ['2026-05-01t10:20:30.5z', '2026-05-01T10:20:30.500Z'],
    ['2026-05-01 10:20:30.123456', '2026-05-01T10:20:30.123Z'],
    ['2026-05-01 10:20:30 GMT', '2026-05-01T10:20:30.000Z'],
    ['2026-05-01 10:20:30 UTC', '2026-05-01T10:20:30.000Z'],
    ['2026-05-01 00:20:30 +01:00', '2026-04-30T23:20:30.000Z'],
    ['2026-05-01T10:20:30-0530', '2026-05-01T15:50:30.000Z'],
    ['2026-05-01T10:20:30+02', '2026-05-01T08:20:30.000Z'],
    ['2026-05-01T10:20:30-23:59', '2026-05-02T10:19:30.000Z'],
    ['2024-02-29', '2024-02-29T00:00:00.000Z'],
    ['0050-01-01', '0050-01-01T00:00:00.000Z'],
    [1.5, '1970-01-01T00:00:00.001Z'],
    [-8.64e15, '-271821-04-20T00:00:00.000Z'],
  ])('parses %j as %s', (input, expected) => {
    expect(iso(parseDate(input))).toBe(expected)
  })

  it.each<readonly [Json]>([
    [''],
    ['2026'],
    ['2026-5-1'],
    ['2026-02-29'],
    ['2026-13-01'],
    ['2026-01-01T25:00:00Z'],
    ['2026-01-01T10:60:00Z'],
    ['2026-01-01T10:00+24:00'],
    ['2026-01-01T10:00-00:60'],
    ['2026-01-01T10:00+99:99'],
    ['2026-01-01T'],
    ['01/02/2026'],
    ['1651363200000'],
    [' 2026-01-01'],
    [62_802_180_000_012_344],
    [true],
    [null],
    [[]],
  ])('%j is not a date', (input) => {
    expect(parseDate(input)).toBeUndefined()
  })

  it('parses each result of toISOString and getTime', () => {
    fc.assert(
      fc.property(fc.date({ min: new Date(0), max: new Date(250e12), noInvalidDate: true }), (date) => {
        expect(parseDate(date.toISOString())).toBe(date.getTime())
        expect(parseDate(date.getTime())).toBe(date.getTime())
      }),
    )
  })
})

describe('parseRelativeDate', () => {
  it.each([
    ['6h', '2026-03-31T12:00:00Z', '2026-03-31T06:00:00.000Z'],
    ['-6h', '2026-03-31T12:00:00Z', '2026-03-31T06:00:00.000Z'],
    ['02w', '2026-03-31T12:00:00Z', '2026-03-17T12:00:00.000Z'],
    ['1m', '2026-03-31T12:00:00Z', '2026-02-28T12:00:00.000Z'],
    ['2m', '2026-03-31T12:00:00Z', '2026-01-28T12:00:00.000Z'],
    ['1m', '2024-03-31T12:00:00Z', '2024-02-29T12:00:00.000Z'],
    ['4m', '2026-07-31T12:00:00Z', '2026-03-30T12:00:00.000Z'],
    ['13m', '2026-01-31T12:00:00Z', '2024-12-28T12:00:00.000Z'],
    ['0m', '2026-03-31T12:00:00Z', '2026-03-31T12:00:00.000Z'],
    ['1y', '2024-02-29T12:00:00Z', '2023-02-28T12:00:00.000Z'],
    ['4y', '2024-02-29T12:00:00Z', '2020-02-28T12:00:00.000Z'],
    ['0y', '2024-02-29T12:00:00Z', '2024-02-29T12:00:00.000Z'],
    ['1976y', '2026-03-31T12:00:00Z', '0050-03-31T12:00:00.000Z'],
  ])('parses %s before %s as %s', (input, now, expected) => {
    expect(iso(parseRelativeDate(input)!(Date.parse(now)))).toBe(expected)
  })

  it.each(['', '1', 'd', '+1d', '--1d', '1.5d', '1s', '1 d', '1D', '10000d', '1d '])(
    '%j is not a relative date',
    (input) => {
      expect(parseRelativeDate(input)).toBeUndefined()
    },
  )

  it('clamps the day as if it went back one month at a time', () => {
    fc.assert(
      fc.property(
        fc.date({ min: new Date(0), max: new Date(4e12), noInvalidDate: true }),
        fc.integer({ min: 0, max: 60 }),
        (date, months) => {
          let stepwise = date.getTime()
          for (let step = 0; step < months; step++) stepwise = parseRelativeDate('1m')!(stepwise)
          expect(parseRelativeDate(`${months}m`)!(date.getTime())).toBe(stepwise)
        },
      ),
    )
  })
})
