import { BarChart, LineChart, PieChart, SankeyChart } from 'echarts/charts'
import type { BarSeriesOption, LineSeriesOption, PieSeriesOption, SankeySeriesOption } from 'echarts/charts'
import { GridComponent } from 'echarts/components'
import type { GridComponentOption } from 'echarts/components'
import { init, setPlatformAPI, use } from 'echarts/core'
import type { ComposeOption } from 'echarts/core'
import { SVGRenderer } from 'echarts/renderers'
import type { SvgNode } from '../svg/svg-node.ts'
import { fromVNode } from './from-v-node.ts'
import type { VNode } from './from-v-node.ts'
import { parseFontString } from './parse-font-string.ts'
import type { Size, Tools } from './tools.ts'

/** What ECharts draws for us. Titles and legends are drawn outside of it. */
export type Option = ComposeOption<
  BarSeriesOption | LineSeriesOption | PieSeriesOption | SankeySeriesOption | GridComponentOption
>

use([BarChart, LineChart, PieChart, SankeyChart, GridComponent, SVGRenderer])

/** The part of the painter of ECharts that is used here. */
interface Painter {
  renderToVNode(options: { animation: boolean; emphasis: boolean; compress: boolean; useViewBox: boolean }): VNode
}

/** Where ECharts drew a rectangle. */
export interface Box extends Size {
  readonly x: number
  readonly y: number
}

/** Draws an option of ECharts. */
export const drawEcharts = (option: Option, size: Size, tools: Tools): readonly SvgNode[] =>
  drawEchartsWithBoxes(option, size, tools).nodes

/** Draws an option of ECharts, and tells where its rectangles are, in the order of the data. */
export const drawEchartsWithBoxes = (
  option: Option,
  { width, height }: Size,
  tools: Tools,
): { readonly nodes: readonly SvgNode[]; readonly boxes: readonly Box[] } => {
  const { ruler } = tools
  // ECharts has one function that measures texts, for all charts of the process.
  setPlatformAPI({
    measureText: (text: string, font?: string) => ({ width: ruler.widthOf(text, parseFontString(font)) }),
  })
  const chart = init(null, null, { renderer: 'svg', ssr: true, width, height })
  try {
    chart.setOption({ animation: false, textStyle: { fontFamily: 'DejaVu Sans' }, ...option })
    const painter = chart.getZr().painter as unknown as Painter
    const root = painter.renderToVNode({ animation: false, emphasis: false, compress: true, useViewBox: false })
    const shapes = chart
      .getZr()
      .storage.getDisplayList()
      .filter(({ type }) => type === 'rect')
    return { nodes: fromVNode(root, tools), boxes: shapes.map(toBox) }
  } finally {
    chart.dispose()
  }
}

/** A shape has its own place, and is moved with its group. */
const toBox = (shape: { getBoundingRect(): Box; readonly transform?: readonly number[] }): Box => {
  const { x, y, width, height } = shape.getBoundingRect()
  return { x: x + (shape.transform?.[4] ?? 0), y: y + (shape.transform?.[5] ?? 0), width, height }
}
