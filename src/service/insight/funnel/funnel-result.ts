import type { BreakdownValue } from '../query/divide.ts'
import type { PeriodLabels } from '../query/period-labels.ts'
import type { Series } from '../query/series.ts'
import type { FunnelNumbers, FunnelOrder, StepNumbers } from '../question/funnel.ts'

/** The numbers of a funnel, or of one group, as clients of the protocol read them. */
export type FunnelResult = readonly StepResult[] | TimesResult | RatesResult

/** A step. */
export interface StepResult {
  /** Null where the order of the steps does not matter. */
  readonly action_id: string | null
  readonly name: string
  readonly custom_name: string | null
  readonly order: number
  /** Always empty: persons are another query. */
  readonly people: readonly []
  readonly count: number
  readonly type: 'events'
  readonly average_conversion_time: number | null
  readonly median_conversion_time: number | null
  readonly breakdown?: BreakdownValue
  readonly breakdown_value?: BreakdownValue
}

/** The times of conversions in seconds. */
export interface TimesResult {
  readonly bins: readonly (readonly [fromSeconds: number, persons: number])[]
  readonly average_conversion_time: number | null
}

/** The percentage of conversions in each period. */
export interface RatesResult {
  /** The number of periods. */
  readonly count: number
  readonly data: readonly number[]
  readonly days: readonly string[]
  readonly labels: readonly string[]
  readonly breakdown_value?: BreakdownValue
}

/** What the results of one query have in common. */
interface ResultShape {
  readonly steps: readonly Series[]
  readonly order: FunnelOrder
  /** Null without periods. */
  readonly labels: PeriodLabels | null
}

export const toFunnelResult = (numbers: FunnelNumbers, value: BreakdownValue, shape: ResultShape): FunnelResult => {
  const group = value === undefined ? {} : { breakdown_value: value }
  switch (numbers.kind) {
    case 'steps':
      return numbers.steps.map((step, order) => ({
        ...toStepResult(step, shape.steps[order]!, shape.order),
        ...(value !== undefined && { breakdown: value, ...group }),
      }))
    case 'times':
      return { bins: numbers.bins, average_conversion_time: numbers.averageSeconds }
    default: {
      const { days = [], labels = [] } = shape.labels ?? {}
      return { count: days.length, data: numbers.rates.map(roundPercentage), days, labels, ...group }
    }
  }
}

const toStepResult = (
  { count, averageSeconds, medianSeconds }: StepNumbers,
  { order, node }: Series,
  funnelOrder: FunnelOrder,
): StepResult => ({
  ...(funnelOrder === 'unordered'
    ? { action_id: null, name: `Completed ${order + 1} step${order === 0 ? '' : 's'}`, custom_name: null }
    : {
        action_id: node.event ?? null,
        name: node.name ?? node.event ?? 'All events',
        custom_name: node.custom_name ?? null,
      }),
  order,
  people: [],
  count,
  type: 'events',
  average_conversion_time: averageSeconds,
  median_conversion_time: medianSeconds,
})

/** To two decimals. */
const roundPercentage = (percentage: number): number => Math.round(percentage * 100) / 100
