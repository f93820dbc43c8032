import { isTimeOrdered } from '../uuid-ranges.ts'

const HOUR_MS = 3_600_000

/** The hours that have a partition of their month: those of the years 2010 to 2049. Clocks that are wrong would create others without end. */
const FIRST_HOUR = Date.UTC(2010, 0, 1) / HOUR_MS
const LAST_HOUR = Date.UTC(2050, 0, 1) / HOUR_MS - 1

/** The hour since 1970 in the time of a uuid of version 7; 0 for other uuids and other years. It depends on nothing else. */
export const hourOf = (uuid: string): number => {
  if (!isTimeOrdered(uuid)) return 0
  const hour = Math.floor(Number.parseInt(uuid.slice(0, 8) + uuid.slice(9, 13), 16) / HOUR_MS)
  return hour >= FIRST_HOUR && hour <= LAST_HOUR ? hour : 0
}
