import { expect, test } from 'vitest'
import { namePeriods } from '../../../../../src/service/export/picture/choice/name-periods.ts'

test.each([
  ['days', 'day', ['2026-01-09', '2026-02-10'], ['9 Jan', '10 Feb']],
  ['days of two years', 'week', ['2025-12-29', '2026-01-05'], ['29 Dec 2025', '5 Jan 2026']],
  ['months', 'month', ['2026-01-01', '2026-02-01'], ['Jan 2026', 'Feb 2026']],
  ['hours', 'hour', ['2026-01-09 14:00:00', '2026-01-09 15:00:00'], ['9 Jan 14:00', '9 Jan 15:00']],
  ['hours of two years', 'hour', ['2025-12-31 23:00:00', '2026-01-01 00:00:00'], ['31 Dec 2025', '1 Jan 2026']],
  ['times with a zone', 'day', ['2026-01-09T00:00:00+02:00'], ['9 Jan']],
  ['a value that is not a date', 'day', ['soon', 5, null, '2026-13-01'], ['soon', '5', '', '2026-13-01']],
])('names %s', (_, interval, days, names) => {
  expect(namePeriods(days, interval)).toEqual(names)
})

test('names nothing where there are no periods', () => {
  expect(namePeriods(undefined, 'day')).toEqual([])
})
