import { expect, it } from 'vitest'
import { formatQueryProgress } from '../../../src/command/query/format-query-progress.ts'

const PICKED_UP = '2026-01-31T09:00:00.000Z'

const progress = (rows_read: number | null, estimated_rows_total: number | null) => ({
  rows_read,
  estimated_rows_total,
  bytes_read: null,
  time_elapsed: 1200,
  active_cpu_time: null,
})

it.each([
  [{ pickup_time: null, query_progress: null }, 'waiting for other queries, 1.2 s'],
  [{ pickup_time: PICKED_UP, query_progress: null }, 'running, 1.2 s'],
  [{ pickup_time: PICKED_UP, query_progress: progress(null, null) }, 'running, 1.2 s'],
  [{ pickup_time: PICKED_UP, query_progress: progress(0, 0) }, 'running, 1.2 s'],
  [{ pickup_time: PICKED_UP, query_progress: progress(250, 1000) }, 'running, 25 % of 1,000 rows read, 1.2 s'],
  // The total is an estimate, and the query has not ended.
  [{ pickup_time: PICKED_UP, query_progress: progress(1100, 1000) }, 'running, 99 % of 1,000 rows read, 1.2 s'],
])('formats %j', (status, line) => {
  expect(formatQueryProgress(status, 1200)).toBe(line)
})
