import type { ResultTable } from '../../../wire/result/result-table.ts'
import type { RatesResult, StepResult, TimesResult } from '../../insight/funnel/funnel-result.ts'
import { formatBreakdown } from './format-breakdown.ts'
import { seriesTable } from './series-table.ts'

/** The answer to a query of funnels: steps, the steps of each group, the times of conversions, or rates by period. */
type FunnelResults = TimesResult | readonly StepResult[] | readonly (readonly StepResult[])[] | readonly RatesResult[]

/** A line for each step, time or series of rates. */
export const funnelTable = (results: FunnelResults): ResultTable => {
  if ('bins' in results) return { columns: ['from_seconds', 'conversions'], results: results.bins }
  const [first] = results
  if (first !== undefined && 'data' in first) return seriesTable(results as readonly RatesResult[])
  const groups = Array.isArray(first)
    ? (results as readonly (readonly StepResult[])[])
    : [results as readonly StepResult[]]
  const hasGroups = groups.some((steps) => steps[0]?.breakdown_value !== undefined)
  return {
    columns: [
      ...(hasGroups ? ['breakdown'] : []),
      'step',
      'name',
      'count',
      'percent_of_first',
      'average_seconds_from_previous',
      'median_seconds_from_previous',
    ],
    results: groups.flatMap((steps) =>
      steps.map((step) => [
        ...(hasGroups ? [formatBreakdown(step.breakdown_value)] : []),
        step.order + 1,
        step.custom_name ?? step.name,
        step.count,
        toPercent(step.count, steps[0]!.count),
        step.average_conversion_time,
        step.median_conversion_time,
      ]),
    ),
  }
}

/** To two decimals; null without persons at the first step. */
const toPercent = (count: number, first: number): number | null =>
  first === 0 ? null : Math.round((count / first) * 10_000) / 100
