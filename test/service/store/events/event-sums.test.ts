import { expect, test } from 'vitest'
import { createEventSums, describeDifference } from '../../../../src/service/store/events/event-sums.ts'

const DAY_MS = 86_400_000

const event = (n: number, changes: object = {}) => ({
  uuid: `019a0000-0000-7000-8000-${String(n).padStart(12, '0')}`,
  event: 'a',
  distinctId: 'ada',
  timestamp: n * DAY_MS,
  receivedAt: 5,
  isHistorical: false,
  properties: '{"n":1}',
  ...changes,
})

const sum = (...events: readonly ReturnType<typeof event>[]) => {
  const sums = createEventSums()
  for (const each of events) sums.add(each)
  return sums.read()
}

test('finds no difference between the same events in another order', () => {
  expect(describeDifference(sum(event(1), event(2), event(3)), sum(event(3), event(1), event(2)))).toBeNull()
})

test('names the first day that has another number of events', () => {
  expect(describeDifference(sum(event(1), event(2)), sum(event(2), event(2), event(3)))).toBe(
    '3 of 3 days differ: of 1970-01-02, the copy has 0 events instead of 1',
  )
})

test.each([
  ['uuid', '019a0000-0000-7000-8000-000000000009'],
  ['event', 'b'],
  ['distinctId', 'ad'],
  ['timestamp', DAY_MS + 1],
  ['receivedAt', 6],
  ['isHistorical', true],
  ['properties', '{"n":1.0}'],
])('finds another %s', (name, value) => {
  expect(describeDifference(sum(event(1)), sum(event(1, { [name]: value })))).toBe(
    '1 of 1 days differ: of 1970-01-02, the copy has 1 events instead of 1, but other values',
  )
})

test('counts the days before 1970', () => {
  expect(describeDifference(sum(event(-2)), sum())).toContain('of 1969-12-30')
})
