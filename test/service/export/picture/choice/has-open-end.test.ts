import { expect, test } from 'vitest'
import { hasOpenEnd } from '../../../../../src/service/export/picture/choice/has-open-end.ts'

test.each([
  // At 23:30 in UTC it is the next day in Berlin.
  ['day', '2026-01-31', 'UTC', true],
  ['day', '2026-01-31', 'Europe/Berlin', false],
  ['day', '2026-02-01', 'Europe/Berlin', true],
  ['hour', '2026-01-31 23:00:00', 'UTC', true],
  ['hour', '2026-01-31 22:00:00', 'UTC', false],
  ['minute', '2026-01-31 23:30:00', 'UTC', true],
  ['minute', '2026-01-31 23:29:00', 'UTC', false],
  ['week', '2026-01-26', 'UTC', true],
  ['week', '2026-01-24', 'UTC', false],
  ['month', '2026-01-01', 'UTC', true],
  ['month', '2025-12-01', 'UTC', false],
  ['day', '2026-01-31', 'Nowhere/Land', false],
])('tells whether the %s from %s is over (%s)', (interval, last, timezone, isOpen) => {
  const answer = { last_refresh: '2026-01-31T23:30:00.000Z', timezone }
  expect(hasOpenEnd(answer, ['2020-01-01', last], interval)).toBe(isOpen)
})

test('does not guess without the time of the answer', () => {
  expect(hasOpenEnd({ timezone: 'UTC' }, ['2026-01-31'], 'day')).toBe(false)
  expect(hasOpenEnd({ last_refresh: '2026-01-31T00:00:00Z' }, [], 'day')).toBe(false)
})
