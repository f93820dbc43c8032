import type { QueryStatus } from '../../management/schema.ts'
import { formatDuration, formatNumber } from '../import/format-numbers.ts'

/** Formats how far a query is as one line. */
export const formatQueryProgress = (
  { pickup_time, query_progress }: Pick<QueryStatus, 'pickup_time' | 'query_progress'>,
  elapsedMs: number,
): string => {
  const elapsed = formatDuration(elapsedMs / 1000)
  if (pickup_time === null) return `waiting for other queries, ${elapsed}`
  const read = query_progress?.rows_read ?? null
  const total = query_progress?.estimated_rows_total ?? null
  if (read === null || total === null || total === 0) return `running, ${elapsed}`
  // The total is an estimate.
  const share = Math.min(99, Math.floor((100 * read) / total))
  return `running, ${share} % of ${formatNumber(total)} rows read, ${elapsed}`
}
