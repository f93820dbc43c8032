import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { labelPeriods } from '../../../../src/service/insight/query/period-labels.ts'
import type { Calendar } from '../../../../src/service/insight/time/calendar.ts'
import { toLocalTime, UTC_CALENDAR } from '../../../../src/service/insight/time/calendar.ts'

const calendarOf = (timeZone: string): Calendar => ({ timeZone, weekStart: 'monday' })

describe('the labels of periods', () => {
  it('name days by their date, and hours by date and time', () => {
    const starts = [Date.parse('2026-01-31T14:00Z')]
    expect(labelPeriods({ starts }, 'day', UTC_CALENDAR)).toEqual({ days: ['2026-01-31'], labels: ['31-Jan-2026'] })
    expect(labelPeriods({ starts }, 'hour', UTC_CALENDAR)).toEqual({
      days: ['2026-01-31 14:00:00'],
      labels: ['31-Jan-2026 14:00'],
    })
  })

  it('follow the clocks where they change', () => {
    const starts = ['2026-10-24T22:00Z', '2026-10-25T00:00Z', '2026-10-25T01:00Z', '2026-10-25T23:00Z'].map(Date.parse)
    expect(labelPeriods({ starts }, 'hour', calendarOf('Europe/Berlin')).labels).toEqual([
      '25-Oct-2026 00:00',
      '25-Oct-2026 02:00',
      '25-Oct-2026 02:00',
      '26-Oct-2026 00:00',
    ])
  })

  it('are what the calendar says of each start, in any time zone and order', () => {
    const zones = [
      'UTC',
      'Europe/Berlin',
      'America/New_York',
      'America/St_Johns',
      'Asia/Kolkata',
      'Australia/Lord_Howe',
      'Pacific/Apia',
    ]
    const startArbitrary = fc.integer({ min: 0, max: Date.parse('2100-01-01') })
    fc.assert(
      fc.property(fc.constantFrom(...zones), fc.array(startArbitrary, { maxLength: 20 }), (zone, starts) => {
        const calendar = calendarOf(zone)
        const expected = starts.map((start) => {
          const local = toLocalTime(start, calendar)
          return `${local.toPlainDate().toString()} ${local.toPlainTime().toString({ smallestUnit: 'second' })}`
        })
        expect(labelPeriods({ starts }, 'minute', calendar).days).toEqual(expected)
      }),
    )
  })
})
