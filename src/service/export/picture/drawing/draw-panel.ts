import type { Chart } from '../chart.ts'
import type { SvgNode } from '../svg/svg-node.ts'
import { moveTo } from '../svg/svg-node.ts'
import { drawChart } from './draw-chart.ts'
import type { Size, Tools } from './tools.ts'

const TITLE_GAP = 14

/** Draws a chart below its title. */
export const drawPanel = (
  title: string | null,
  chart: Chart,
  titleSize: number,
  { width, height }: Size,
  tools: Tools,
): readonly SvgNode[] => {
  if (title === null || title.trim() === '') return drawChart(chart, { width, height }, tools)
  const { theme, drawText } = tools
  const top = titleSize + TITLE_GAP
  return [
    drawText({ text: title, x: 0, y: titleSize, size: titleSize, weight: 'bold', fill: theme.text, maxWidth: width }),
    moveTo(0, top, drawChart(chart, { width, height: height - top }, tools)),
  ]
}
