import type { LineSeriesOption } from 'echarts/charts'
import type { LineChart, Series } from '../chart.ts'
import type { SvgNode } from '../svg/svg-node.ts'
import { mix } from '../theme.ts'
import type { Point } from '../thin-points.ts'
import { thinPoints } from '../thin-points.ts'
import { createNumberAxis, createPeriodLine, GRID, labelStyle } from './axes.ts'
import { colorOf } from './color-of.ts'
import { drawEcharts } from './draw-echarts.ts'
import { labelPeriods } from './label-periods.ts'
import { stackSeries } from './stack-series.ts'
import type { Size, Tools } from './tools.ts'

/** Draws lines over periods, or areas on top of each other. */
export const drawLines = (chart: LineChart, size: Size, tools: Tools): readonly SvgNode[] => {
  const count = chart.periods.length
  const columns = Math.max(1, Math.floor(size.width * tools.pixelsPerUnit))
  const { ticks, labelOf } = labelPeriods(chart.periods, size.width, tools)
  // One period is in the middle.
  const [min, max] = count === 1 ? [-1, 1] : [0, count - 1]
  const series = chart.isStacked
    ? createAreas(chart.series, columns, tools)
    : chart.series.flatMap((each) => createLines(each, chart.hasOpenEnd, columns, tools))
  return drawEcharts(
    {
      grid: GRID,
      xAxis: {
        type: 'value',
        min,
        max,
        ...createPeriodLine(tools),
        axisLabel: { ...labelStyle(tools), customValues: [...ticks], formatter: labelOf },
      },
      yAxis: createNumberAxis(chart.unit, chart.series, tools),
      series: [...series],
    },
    size,
    tools,
  )
}

const createLines = (
  series: Series,
  hasOpenEnd: boolean,
  columns: number,
  tools: Tools,
): readonly LineSeriesOption[] => {
  const color = colorOf(series.color, tools.theme)
  const points = thinPoints(series.values, columns)
  const type = series.isEarlier ? 'dashed' : 'solid'
  if (!hasOpenEnd || series.isEarlier || points.length < 2) return [createLine(points, color, type, tools)]
  // The last period is not over: its number is still growing.
  return [createLine(points.slice(0, -1), color, type, tools), createLine(points.slice(-2), color, 'dotted', tools)]
}

const createLine = (
  points: readonly Point[],
  color: string,
  type: 'solid' | 'dashed' | 'dotted',
  { theme }: Tools,
): LineSeriesOption => ({
  type: 'line',
  data: points.map(([index, value], place) => ({
    value: [index, value ?? '-'],
    // A point without neighbours is no line.
    symbol: isAlone(points, place) ? 'circle' : 'none',
  })),
  symbolSize: 7,
  silent: true,
  lineStyle: { color, width: 2, type, ...(type === 'dashed' && { color: mix(color, theme.background, 0.75) }) },
  itemStyle: { color },
})

const isAlone = (points: readonly Point[], place: number): boolean =>
  (points[place - 1]?.[1] ?? null) === null && (points[place + 1]?.[1] ?? null) === null

/** Each area reaches from zero to its upper edge, and those below are drawn over it. */
const createAreas = (series: readonly Series[], columns: number, { theme }: Tools): readonly LineSeriesOption[] =>
  stackSeries(series.map(({ values }) => values))
    .map((edge, index): LineSeriesOption => {
      const color = colorOf(series[index]!.color, theme)
      const points = thinPoints(edge, columns)
      return {
        type: 'line',
        data: points.map(([place, value]) => ({
          value: [place, value ?? '-'],
          symbol: points.length === 1 ? 'circle' : 'none',
        })),
        symbolSize: 7,
        silent: true,
        lineStyle: { color, width: 1.5 },
        itemStyle: { color },
        areaStyle: { color: mix(color, theme.background, 0.6), opacity: 1 },
      }
    })
    .toReversed()
