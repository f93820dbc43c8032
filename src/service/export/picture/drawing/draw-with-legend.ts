import type { BarChart, LineChart } from '../chart.ts'
import type { SvgNode } from '../svg/svg-node.ts'
import { moveTo } from '../svg/svg-node.ts'
import { colorOf } from './color-of.ts'
import { drawBars } from './draw-bars.ts'
import { drawLegend } from './draw-legend.ts'
import { drawLines } from './draw-lines.ts'
import type { Size, Tools } from './tools.ts'

/** Draws lines or bars below the names of their series. */
export const drawWithLegend = (
  chart: LineChart | BarChart,
  { width, height }: Size,
  tools: Tools,
): readonly SvgNode[] => {
  const items = chart.series.map(({ name, color, isEarlier }) => ({
    name,
    color: colorOf(color, tools.theme),
    isDashed: isEarlier,
  }))
  const legend = drawLegend(items, { width, height: height / 6 }, tools)
  const room = { width, height: height - legend.height }
  const nodes = chart.kind === 'lines' ? drawLines(chart, room, tools) : drawBars(chart, room, tools)
  return [...legend.nodes, moveTo(0, legend.height, nodes)]
}
