import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { readLastPeriods } from '../../../../src/service/insight/retention/read-last-periods.ts'
import type { Calendar } from '../../../../src/service/insight/time/calendar.ts'
import { filterContext } from '../filter-context.ts'

const BERLIN: Calendar = { timeZone: 'Europe/Berlin', weekStart: 'monday' }
const NOW = Date.UTC(2026, 3, 1, 12)

const toTexts = (times: readonly number[]): string[] =>
  times.map((time) => new Date(time).toISOString().replace(':00.000Z', 'Z'))

describe('readLastPeriods', () => {
  it('ends with the period of now, whole', () => {
    const context = filterContext({ now: NOW, calendar: BERLIN })
    const { starts, end, range } = readLastPeriods(null, 'week', 2, context)
    // The clocks change on the last Sunday of March.
    expect(toTexts([...starts, end])).toEqual(['2026-03-22T23:00Z', '2026-03-29T22:00Z', '2026-04-05T22:00Z'])
    expect(range).toEqual({ from: starts[0], before: end })
  })

  it('ends with the period of date_to', () => {
    const context = filterContext({ now: NOW, calendar: BERLIN })
    const lastOf = (date_to: string, interval: 'hour' | 'day' | 'month') =>
      toTexts(readLastPeriods({ date_to }, interval, 1, context).starts)
    expect(lastOf('2026-01-31', 'day')).toEqual(['2026-01-30T23:00Z'])
    expect(lastOf('2026-01-31', 'hour')).toEqual(['2026-01-31T22:00Z'])
    expect(lastOf('-1m', 'month')).toEqual(['2026-02-28T23:00Z'])
  })

  it('has as many periods as were asked, whatever the clocks do', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: Date.UTC(2000, 0, 1), max: Date.UTC(2030, 0, 1) }),
        fc.constantFrom('hour', 'day', 'week', 'month'),
        fc.integer({ min: 1, max: 100 }),
        fc.constantFrom('UTC', 'Europe/Berlin', 'America/Sao_Paulo', 'Australia/Lord_Howe', 'Pacific/Apia'),
        (now, interval, count, timeZone) => {
          const calendar = { ...BERLIN, timeZone }
          const { starts, end } = readLastPeriods(null, interval, count, filterContext({ now, calendar }))
          expect(starts).toHaveLength(count)
          expect(starts.at(-1)).toBeLessThanOrEqual(now)
          expect(end).toBeGreaterThan(now)
        },
      ),
      { numRuns: 300 },
    )
  })
})
