import type { DateRange } from '../../time/date-range.ts'

/** Largest distance from 1970 that a JavaScript date can have. */
const MAX_TIMESTAMP_MS = 8.64e15

/** Writes a time as a constant. */
export const writeTime = (milliseconds: number): string =>
  `make_timestamptz(${Math.max(-MAX_TIMESTAMP_MS, Math.min(milliseconds, MAX_TIMESTAMP_MS)) * 1000})`

/** Writes a condition on the timestamp of an event in the table `events`. The bounds are constants, so DuckDB skips other times. */
export const writeDateRange = ({ from, before }: DateRange, events = 'events'): string => {
  const bounds = [
    ...(from === undefined ? [] : [`${events}.timestamp >= ${writeTime(from)}`]),
    ...(before === undefined ? [] : [`${events}.timestamp < ${writeTime(before)}`]),
  ]
  return bounds.length === 0 ? 'TRUE' : `(${bounds.join(' AND ')})`
}
