/** What is drawn for an answer, without places, sizes and colours. */
export type Chart =
  | LineChart
  | BarChart
  | RankingChart
  | PieChart
  | NumberChart
  | FunnelChart
  | RetentionChart
  | FlowChart
  | TableChart
  | MessageChart

export type Unit = 'count' | 'percent'

/** Numbers over periods. */
export interface Series {
  readonly name: string
  /** Null: no number. */
  readonly values: readonly (number | null)[]
  /** Place of its color in the palette; `other` for what is left of a breakdown. */
  readonly color: number | 'other'
  /** An earlier time that is compared with. */
  readonly isEarlier: boolean
}

/** Lines, or areas on top of each other, over periods. */
export interface LineChart {
  readonly kind: 'lines'
  readonly isStacked: boolean
  readonly periods: readonly string[]
  readonly series: readonly Series[]
  readonly unit: Unit
  /** Whether the last period was not over when the answer was computed. */
  readonly hasOpenEnd: boolean
}

/** Bars for each period, side by side or on top of each other. */
export interface BarChart {
  readonly kind: 'bars'
  readonly isStacked: boolean
  readonly periods: readonly string[]
  readonly series: readonly Series[]
  readonly unit: Unit
}

export interface NamedValue {
  readonly name: string
  readonly value: number
  readonly color: number | 'other'
}

/** One bar for each value, the largest first. */
export interface RankingChart {
  readonly kind: 'ranking'
  readonly items: readonly NamedValue[]
}

/** Parts of a whole. */
export interface PieChart {
  readonly kind: 'pie'
  readonly slices: readonly NamedValue[]
}

/** Large numbers. */
export interface NumberChart {
  readonly kind: 'numbers'
  readonly items: readonly { readonly name: string; readonly value: number | null; readonly earlier: number | null }[]
}

/** How many reached each step, for each group. */
export interface FunnelChart {
  readonly kind: 'funnel'
  readonly steps: readonly string[]
  readonly groups: readonly {
    /** Null without a breakdown. */
    readonly name: string | null
    readonly counts: readonly number[]
  }[]
}

/** A row for each cohort: its size, and how many returned in each period. */
export interface RetentionChart {
  readonly kind: 'retention'
  readonly periods: readonly string[]
  readonly cohorts: readonly { readonly name: string; readonly counts: readonly number[] }[]
  /** What a percentage is of: the size of the cohort, or the number of the period before. */
  readonly reference: 'total' | 'previous'
}

/** Ways between items, from left to right. */
export interface FlowChart {
  readonly kind: 'flow'
  readonly edges: readonly { readonly source: FlowItem; readonly target: FlowItem; readonly value: number }[]
}

/** An item at a step. */
export interface FlowItem {
  readonly step: number
  readonly name: string
}

export interface TableChart {
  readonly kind: 'table'
  readonly columns: readonly string[]
  readonly rows: readonly (readonly Cell[])[]
  /** Whether there are more rows than the answer has. */
  readonly hasMore: boolean
}

export type Cell = string | number | boolean | null

/** A sentence instead of a chart. */
export interface MessageChart {
  readonly kind: 'message'
  readonly tone: 'empty' | 'error'
  readonly text: string
}

export const NO_DATA: MessageChart = { kind: 'message', tone: 'empty', text: 'No data' }
