import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Calendar, Interval } from '../../../../src/service/insight/time/calendar.ts'
import { isTimeZone, UTC_CALENDAR } from '../../../../src/service/insight/time/calendar.ts'
import { createPeriods, joinPeriods } from '../../../../src/service/insight/time/periods.ts'

const BERLIN: Calendar = { timeZone: 'Europe/Berlin', weekStart: 'monday' }
const HOUR_MS = 3_600_000

const startsOf = (from: string, before: string, interval: Interval, calendar: Calendar): string[] => {
  const range = { from: Date.parse(from), before: Date.parse(before) }
  const { starts, end } = createPeriods(range, interval, calendar, 'interval')
  return [...starts, end].map((time) => new Date(time).toISOString().replace(':00.000Z', 'Z'))
}

describe('createPeriods', () => {
  it('has days of 23 and 25 hours where the clocks change', () => {
    expect(startsOf('2026-03-28T00:00+01:00', '2026-03-30T00:00+02:00', 'day', BERLIN)).toEqual([
      '2026-03-27T23:00Z',
      '2026-03-28T23:00Z',
      '2026-03-29T22:00Z',
    ])
    const autumn = startsOf('2026-10-25T00:00+02:00', '2026-10-26T00:00+01:00', 'hour', BERLIN)
    expect(autumn).toHaveLength(26)
  })

  it('begins with the period that contains the start of the range', () => {
    expect(startsOf('2026-01-15T10:30Z', '2026-01-16T00:00Z', 'week', BERLIN)).toEqual([
      '2026-01-11T23:00Z',
      '2026-01-18T23:00Z',
    ])
    expect(startsOf('2026-01-15T10:30Z', '2026-01-16T00:00Z', 'week', UTC_CALENDAR)[0]).toBe('2026-01-11T00:00Z')
    expect(startsOf('2026-01-15T10:30Z', '2026-03-01T00:00Z', 'month', UTC_CALENDAR)).toEqual([
      '2026-01-01T00:00Z',
      '2026-02-01T00:00Z',
      '2026-03-01T00:00Z',
    ])
  })

  it('begins a day later where there is no midnight', () => {
    const cairo: Calendar = { timeZone: 'Africa/Cairo', weekStart: 'sunday' }
    // The clocks went from 0:00 to 1:00 on 26 April 2024.
    expect(startsOf('2024-04-25T12:00Z', '2024-04-26T12:00Z', 'day', cairo)).toEqual([
      '2024-04-24T22:00Z',
      '2024-04-25T22:00Z',
      '2024-04-26T21:00Z',
    ])
  })

  it('refuses more than 10,000 periods', () => {
    const range = { from: 0, before: 10_001 * HOUR_MS }
    expect(() => createPeriods(range, 'hour', UTC_CALENDAR, 'interval')).toThrow('interval is too short')
  })

  it('covers every range without gaps', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 2 ** 41 }),
        fc.integer({ min: 1, max: 90 * 24 * HOUR_MS }),
        fc.constantFrom('hour', 'day', 'week', 'month'),
        fc.constantFrom('UTC', 'Europe/Berlin', 'America/Sao_Paulo', 'Australia/Lord_Howe', 'Pacific/Apia'),
        (from, length, interval, timeZone) => {
          const range = { from, before: from + length }
          const { starts, end } = createPeriods(range, interval, { ...BERLIN, timeZone }, 'interval')
          const bounds = [...starts, end]
          expect(bounds[0]).toBeLessThanOrEqual(from)
          expect(bounds[1]).toBeGreaterThan(from)
          expect(starts.at(-1)).toBeLessThan(range.before)
          expect(end).toBeGreaterThanOrEqual(range.before)
          expect(bounds.every((bound, index) => index === 0 || bound > bounds[index - 1]!)).toBe(true)
        },
      ),
      { numRuns: 200 },
    )
  })
})

describe('joinPeriods', () => {
  const periods = { range: { from: 5, before: 45 }, starts: [0, 10, 20, 30, 40], end: 50 }

  it('makes one period of several, of the last ones fewer', () => {
    expect(joinPeriods(periods, 2)).toEqual({ ...periods, starts: [0, 20, 40] })
    expect(joinPeriods(periods, 9)).toEqual({ ...periods, starts: [0] })
  })

  it('leaves single periods as they are', () => {
    expect(joinPeriods(periods, 1)).toEqual(periods)
  })
})

describe('isTimeZone', () => {
  it.each<[string, boolean]>([
    ['UTC', true],
    ['Europe/Berlin', true],
    ['Mars/Olympus', false],
    ['+02:00', false],
    ['', false],
  ])('of %j is %s', (name, expected) => {
    expect(isTimeZone(name)).toBe(expected)
  })
})
