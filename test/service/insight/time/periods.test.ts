import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Calendar, Interval } from '../../../../src/service/insight/time/calendar.ts'
import { isTimeZone, startOfNext, toLocalTime, UTC_CALENDAR } from '../../../../src/service/insight/time/calendar.ts'
import { createPeriods, joinPeriods } from '../../../../src/service/insight/time/periods.ts'

const BERLIN: Calendar = { timeZone: 'Europe/Berlin', weekStart: 'monday' }
const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS

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

  it('has hours that begin when the clocks show a full one, also after a change by half an hour', () => {
    const howe: Calendar = { timeZone: 'Australia/Lord_Howe', weekStart: 'sunday' }
    // From 2:00 (+11:00) to 1:30 (+10:30) on 5 April 2026, and from 2:00 to 2:30 on 4 October.
    expect(startsOf('2026-04-04T14:00Z', '2026-04-04T17:30Z', 'hour', howe)).toEqual([
      '2026-04-04T14:00Z',
      '2026-04-04T15:30Z',
      '2026-04-04T16:30Z',
      '2026-04-04T17:30Z',
    ])
    expect(startsOf('2026-10-03T14:30Z', '2026-10-03T17:00Z', 'hour', howe)).toEqual([
      '2026-10-03T14:30Z',
      '2026-10-03T16:00Z',
      '2026-10-03T17:00Z',
    ])
    // In the half hour before and after the change.
    expect(startsOf('2026-04-04T15:29Z', '2026-04-04T15:30Z', 'hour', howe)[0]).toBe('2026-04-04T14:00Z')
    expect(startsOf('2026-10-03T15:30Z', '2026-10-03T15:31Z', 'hour', howe)[0]).toBe('2026-10-03T14:30Z')
  })

  it('has the days, weeks and months of the calendar, however the clocks change between them', () => {
    // Changes at midnight, into and out of it, by a day, and by half an hour; none at all.
    const zones = ['Europe/Berlin', 'America/Sao_Paulo', 'America/Havana', 'Asia/Beirut', 'Africa/Cairo', 'Pacific/Apia', 'Australia/Lord_Howe', 'Asia/Kathmandu', 'UTC'] // prettier-ignore
    fc.assert(
      fc.property(
        fc.constantFrom(...zones),
        fc.constantFrom<Interval>('day', 'week', 'month'),
        fc.integer({ min: Date.UTC(1990, 0), max: Date.UTC(2030, 0) }),
        fc.integer({ min: 1, max: 500 }),
        (timeZone, interval, from, days) => {
          const calendar: Calendar = { timeZone, weekStart: 'monday' }
          const { starts, end } = createPeriods({ from, before: from + days * 24 * HOUR_MS }, interval, calendar, '')
          const times = [...starts, end]
          const next = (start: number): number =>
            startOfNext(interval, toLocalTime(start, calendar), calendar).epochMilliseconds
          expect(times.slice(1)).toEqual(starts.map(next))
        },
      ),
      { numRuns: 300 },
    )
  })

  it('has all full local hours of a range, and nothing else', () => {
    // Changes by half an hour, by an hour at 0:01 and at midnight, by a quarter, by a day, and offsets of halves and quarters.
    const zones = ['Europe/Berlin', 'Australia/Lord_Howe', 'Asia/Pyongyang', 'America/Caracas', 'America/St_Johns', 'Asia/Kathmandu', 'Asia/Kolkata', 'Australia/Adelaide', 'Pacific/Chatham', 'Pacific/Apia', 'Africa/Cairo'] // prettier-ignore
    const nearChange = fc
      .tuple(fc.constantFrom(...zones), fc.integer({ min: Date.UTC(1985, 0), max: Date.UTC(2030, 0) }))
      .map(([timeZone, time]) => {
        const calendar: Calendar = { timeZone, weekStart: 'monday' }
        const change = toLocalTime(time, calendar).getTimeZoneTransition('previous')?.epochMilliseconds
        // Earlier offsets have seconds.
        return { calendar, time: Math.max(change ?? 0, Date.UTC(1980, 0)) }
      })
    const distance = fc.integer({ min: 0, max: 4 * 60 })
    fc.assert(
      fc.property(nearChange, distance, distance, ({ calendar, time }, minutesBefore, minutesAfter) => {
        const range = { from: time - minutesBefore * MINUTE_MS, before: time + minutesAfter * MINUTE_MS + 1 }
        const { starts, end } = createPeriods(range, 'hour', calendar, 'interval')
        const fullHours: number[] = []
        for (let each = starts[0]!; each <= end; each += MINUTE_MS)
          if (toLocalTime(each, calendar).minute === 0) fullHours.push(each)
        expect([...starts, end]).toEqual(fullHours)
        expect(starts[0]).toBeLessThanOrEqual(range.from)
        expect(starts[1] ?? end).toBeGreaterThan(range.from)
        expect(starts.at(-1)).toBeLessThan(range.before)
        expect(end).toBeGreaterThanOrEqual(range.before)
      }),
      { numRuns: 300 },
    )
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
