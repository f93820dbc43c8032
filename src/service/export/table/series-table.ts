import type { ResultTable } from '../../../wire/result/result-table.ts'
import type { BreakdownValue } from '../../insight/query/divide.ts'
import { formatBreakdown } from './format-breakdown.ts'

/** One series of the answer to a query of trends, stickiness, lifecycles, or of a funnel's rates. */
interface SeriesResult {
  readonly label?: string
  readonly breakdown_value?: BreakdownValue
  readonly data: readonly number[]
  /** Names of the periods. */
  readonly days: readonly (string | number)[]
  /** The number of the whole range, where that is asked; `data` is then empty. */
  readonly aggregated_value?: number
  readonly compare_label?: string
}

/** A line for each series, with a column for each period. The series of an earlier range stand in the columns of the later one. */
export const seriesTable = (results: readonly SeriesResult[]): ResultTable => {
  const isTotal = results.some(({ aggregated_value: total }) => total !== undefined)
  const isCompared = results.some(({ compare_label: label }) => label !== undefined)
  const longest = results.reduce<readonly (string | number)[]>(
    (days, result) => (result.days.length > days.length ? result.days : days),
    [],
  )
  return {
    columns: ['series', ...(isCompared ? ['range'] : []), ...(isTotal ? ['value'] : longest.map(String))],
    results: results.map((result) => [
      result.label ?? formatBreakdown(result.breakdown_value) ?? 'All',
      ...(isCompared ? [result.compare_label ?? null] : []),
      ...(isTotal ? [result.aggregated_value ?? null] : longest.map((_, index) => result.data[index] ?? null)),
    ]),
  }
}
