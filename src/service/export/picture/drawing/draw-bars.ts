import type { BarSeriesOption } from 'echarts/charts'
import type { BarChart } from '../chart.ts'
import { formatTick } from '../format/format-number.ts'
import type { SvgNode } from '../svg/svg-node.ts'
import { mix } from '../theme.ts'
import { createNumberAxis, createPeriodLine, GRID, labelStyle } from './axes.ts'
import { colorOf } from './color-of.ts'
import { drawEcharts } from './draw-echarts.ts'
import { drawLines } from './draw-lines.ts'
import { labelPeriods } from './label-periods.ts'
import type { Size, Tools } from './tools.ts'

/** Below this width bars cannot be told apart. */
const MIN_BAR_WIDTH = 1.5

/** A bar of this width has room for its number. */
const MIN_LABELED_WIDTH = 36

/** Draws bars for each period. */
export const drawBars = (chart: BarChart, size: Size, tools: Tools): readonly SvgNode[] => {
  const { theme } = tools
  const barCount = chart.periods.length * (chart.isStacked ? 1 : chart.series.length)
  const barWidth = size.width / barCount
  if (barWidth < MIN_BAR_WIDTH) return drawLines({ ...chart, kind: 'lines', hasOpenEnd: false }, size, tools)
  const { ticks, labelOf } = labelPeriods(chart.periods, size.width, tools)
  const shownTicks = new Set(ticks)
  return drawEcharts(
    {
      grid: { ...GRID, top: 18 },
      xAxis: {
        type: 'category',
        data: chart.periods.map((_, index) => String(index)),
        ...createPeriodLine(tools),
        axisLabel: {
          ...labelStyle(tools),
          interval: (index: number) => shownTicks.has(index),
          formatter: (_: string, index: number) => labelOf(index),
        },
      },
      yAxis: createNumberAxis(chart.unit, chart.series, tools),
      series: chart.series.map(({ values, color, isEarlier }): BarSeriesOption => {
        const fill = colorOf(color, theme)
        return {
          type: 'bar',
          data: values.map((value) => value ?? '-'),
          ...(chart.isStacked && { stack: 'all' }),
          silent: true,
          barMaxWidth: 56,
          barCategoryGap: '25%',
          barGap: '8%',
          itemStyle: isEarlier
            ? { color: mix(fill, theme.background, 0.35), borderColor: fill, borderType: 'dashed', borderWidth: 1 }
            : { color: fill },
          label: {
            show: !chart.isStacked && barWidth >= MIN_LABELED_WIDTH,
            position: 'top',
            ...labelStyle(tools),
            formatter: ({ value }) => (typeof value === 'number' ? formatTick(value, chart.unit) : ''),
          },
        }
      }),
    },
    size,
    tools,
  )
}
