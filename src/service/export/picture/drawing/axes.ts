import type { GridComponentOption } from 'echarts/components'
import type { Series, Unit } from '../chart.ts'
import { formatTick } from '../format/format-number.ts'
import type { Tools } from './tools.ts'
import { FONT_SIZE } from './tools.ts'

/** Labels of an axis are cut to this width. */
export const MAX_LABEL_WIDTH = 110

/** The place of the axes: the labels are within the drawing. */
export const GRID: GridComponentOption = {
  left: 4,
  right: 12,
  top: 10,
  bottom: 4,
  outerBoundsMode: 'same',
  outerBoundsContain: 'axisLabel',
}

export const labelStyle = ({ theme }: Tools) => ({ color: theme.muted, fontSize: FONT_SIZE, fontFamily: 'DejaVu Sans' })

/** An axis of numbers, with lines across the chart. Whole numbers have no labels between them. */
export const createNumberAxis = (unit: Unit, series: readonly Series[], tools: Tools) => ({
  type: 'value' as const,
  splitNumber: 4,
  minInterval: series.every(({ values }) => values.every((value) => value === null || Number.isInteger(value))) ? 1 : 0,
  axisLine: { show: false },
  axisTick: { show: false },
  splitLine: { lineStyle: { color: tools.theme.grid, width: 1 } },
  axisLabel: { ...labelStyle(tools), formatter: (value: number) => formatTick(value, unit) },
})

export const createPeriodLine = ({ theme }: Tools) => ({
  axisLine: { show: true, onZero: true, lineStyle: { color: theme.muted, width: 1 } },
  axisTick: { show: false },
  splitLine: { show: false },
})
