import type { Condition } from '../../../../insight/filter/condition.ts'
import type { TrendQuestion } from '../../../../insight/question/trend.ts'
import { quoteIdentifier } from '../../../../sql/quote.ts'
import { COUNT_COLUMN, COUNTED_MS, selectEventCounts } from '../event-table/event-counts.ts'
import type { SqlWithParameters } from '../../question/engine.ts'
import { writePeriodIndex } from '../../question/period-sql.ts'
import { duckDbEngine } from './duckdb-engine.ts'
import { createEventSource, EVENT_TIME } from './event-source.ts'

/** Whether a trend asks for numbers of events, of some names or of all, whose periods and range begin and end with a quarter of an hour. */
export const canUseCounts = ({ events, measure, breakdown, periods }: TrendQuestion): boolean => {
  const { starts, end, range } = periods
  return (
    measure.kind === 'count' &&
    breakdown === null &&
    selectsByNameOnly(events.condition) &&
    [range.from, range.before, end, ...starts].every((time) => time % COUNTED_MS === 0)
  )
}

const selectsByNameOnly = (condition: Condition): boolean =>
  condition.kind === 'all' || condition.kind === 'any'
    ? condition.conditions.every(selectsByNameOnly)
    : condition.kind === 'event_name'

/**
 * Writes the SELECT of such a trend, of group, period and number. It reads tables of the schema `internal`.
 *
 * @param countedRows as for `selectEventCounts`.
 */
export const writeCountedTrend = (
  { events, periods, isTotal }: TrendQuestion,
  countedRows: number,
): SqlWithParameters => {
  const source = createEventSource(events)
  const period = isTotal ? '0' : writePeriodIndex(periods, EVENT_TIME, duckDbEngine.divide)
  const sql = source.toQuery(
    `SELECT 0 AS group_index, ${period} AS period, sum(${quoteIdentifier(COUNT_COLUMN)}) ${source.writeFrom(periods.range)} GROUP BY period`,
    [`events AS (${selectEventCounts(countedRows)})`],
  )
  return { sql, parameters: source.parameters }
}
