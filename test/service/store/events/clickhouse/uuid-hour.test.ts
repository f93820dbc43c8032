import { expect, it } from 'vitest'
import { hourOf } from '../../../../../src/service/store/events/clickhouse/uuid-hour.ts'

const uuidAt = (time: number): string => {
  const digits = time.toString(16).padStart(12, '0')
  return `${digits.slice(0, 8)}-${digits.slice(8)}-7000-8000-000000000000`
}

it.each([
  ['the hour of its time', uuidAt(Date.UTC(2026, 0, 2, 3, 59)), Date.UTC(2026, 0, 2, 3) / 3_600_000],
  ['none before 2010', uuidAt(Date.UTC(2010, 0, 1) - 1), 0],
  ['none after 2049', uuidAt(Date.UTC(2050, 0, 1)), 0],
  ['none with a random uuid', 'c9bf9e57-1685-4c89-bafb-ff5af830be8a', 0],
])('an event is stored under %s', (_, uuid, hour) => {
  expect(hourOf(uuid)).toBe(hour)
})
