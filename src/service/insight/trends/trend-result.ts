import type { PeriodLabels } from '../query/period-labels.ts'
import { sumNumbers } from '../question/sum-numbers.ts'
import type { Series } from '../query/series.ts'
import { describeSeries } from '../query/series.ts'

/** The numbers of one series, or of a formula, for one group of a breakdown. */
export interface TrendLine {
  /** Null for a formula. */
  readonly series: Series | null
  readonly label: string
  /** Name of the group; null without a breakdown. */
  readonly group: string | null
  /** The group as clients read it; undefined without a breakdown. */
  readonly value: string | number | readonly string[] | undefined
  readonly numbers: readonly number[]
}

/** One line of the answer to a query of trends, as clients of the protocol read it. */
export interface TrendResult {
  readonly label: string
  readonly action: object | null
  readonly data: readonly number[]
  readonly days: readonly string[]
  readonly labels: readonly string[]
  /** The sum of `data`. */
  readonly count: number
  /** The number for the whole range, where the display shows one; `data` is then empty. */
  readonly aggregated_value?: number
  readonly breakdown_value?: string | number | readonly string[]
  readonly compare?: boolean
  readonly compare_label?: 'current' | 'previous'
}

/** What the results of one query have in common. */
export interface ResultShape {
  readonly labels: PeriodLabels
  readonly comparison: 'current' | 'previous' | null
  readonly isTotal: boolean
  readonly seriesCount: number
}

export const toTrendResult = (
  line: TrendLine,
  { labels, comparison, isTotal, seriesCount }: ResultShape,
): TrendResult => {
  const { series, label, group, value, numbers } = line
  const data = isTotal ? [] : numbers
  return {
    action: series === null ? null : toAction(series, labels.days),
    label: group === null ? label : seriesCount > 1 ? `${label} - ${group}` : group,
    data,
    days: isTotal ? [] : labels.days,
    labels: isTotal ? [] : labels.labels,
    count: sumNumbers(data),
    ...(isTotal && { aggregated_value: numbers[0]! }),
    ...(value !== undefined && { breakdown_value: value }),
    ...(comparison !== null && { compare: true, compare_label: comparison }),
  }
}

const toAction = (series: Series, days: readonly string[]): object => ({
  ...describeSeries(series),
  math_property: series.node.math_property ?? null,
  math_hogql: null,
  math_group_type_index: series.node.math_group_type_index ?? null,
  properties: series.node.properties ?? [],
  days,
})
