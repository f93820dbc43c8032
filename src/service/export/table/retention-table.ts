import type { ResultTable } from '../../../wire/result/result-table.ts'
import type { RetentionResult } from '../../insight/retention/answer-retention.ts'
import { formatBreakdown } from './format-breakdown.ts'

/** A line for each cohort, with its size and a column for each period after it. */
export const retentionTable = (results: readonly RetentionResult[]): ResultTable => {
  const hasGroups = results.some(({ breakdown_value: value }) => value !== undefined)
  const longest = results.reduce<RetentionResult['values']>(
    (values, result) => (result.values.length > values.length ? result.values : values),
    [],
  )
  return {
    columns: [...(hasGroups ? ['breakdown'] : []), 'cohort', ...longest.map(({ label }) => label)],
    results: results.map(({ date, values, breakdown_value: value }) => [
      ...(hasGroups ? [formatBreakdown(value)] : []),
      date,
      ...longest.map((_, index) => values[index]?.count ?? null),
    ]),
  }
}
