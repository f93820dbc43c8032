import type { Chart } from '../chart.ts'
import type { SvgNode } from '../svg/svg-node.ts'
import { drawFlow } from './draw-flow.ts'
import { drawFunnel } from './draw-funnel.ts'
import { drawMessage } from './draw-message.ts'
import { drawNumbers } from './draw-numbers.ts'
import { drawPie } from './draw-pie.ts'
import { drawRanking } from './draw-ranking.ts'
import { drawRetention } from './draw-retention.ts'
import { drawTable } from './draw-table.ts'
import { drawWithLegend } from './draw-with-legend.ts'
import type { Size, Tools } from './tools.ts'

export const drawChart = (chart: Chart, size: Size, tools: Tools): readonly SvgNode[] => {
  switch (chart.kind) {
    case 'lines':
    case 'bars':
      return drawWithLegend(chart, size, tools)
    case 'ranking':
      return drawRanking(chart, size, tools)
    case 'pie':
      return drawPie(chart, size, tools)
    case 'numbers':
      return drawNumbers(chart, size, tools)
    case 'funnel':
      return drawFunnel(chart, size, tools)
    case 'retention':
      return drawRetention(chart, size, tools)
    case 'flow':
      return drawFlow(chart, size, tools)
    case 'table':
      return drawTable(chart, size, tools)
    default:
      return drawMessage(chart, size, tools)
  }
}
