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

/** Draws an option of ECharts. */
export const drawEcharts = (option: Option, { width, height }: Size, tools: Tools): readonly SvgNode[] => {
  const { ruler } = tools
  // ECharts has one function that measures texts, for all charts of the process.
  setPlatformAPI({
    measureText: (text: string, font?: string) => ({ width: ruler.widthOf(text, parseFontString(font)) }),
  })
  const chart = init(null, null, { renderer: 'svg', ssr: true, width, height })
  try {
    chart.setOption({ animation: false, textStyle: { fontFamily: 'DejaVu Sans' }, ...option })
    const painter = chart.getZr().painter as unknown as Painter
    return fromVNode(
      painter.renderToVNode({ animation: false, emphasis: false, compress: true, useViewBox: false }),
      tools,
    )
  } finally {
    chart.dispose()
  }
}
