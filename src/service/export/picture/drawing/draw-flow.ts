import type { FlowChart, FlowItem } from '../chart.ts'
import { formatNumber } from '../format/format-number.ts'
import type { SvgNode } from '../svg/svg-node.ts'
import { colorOf } from './color-of.ts'
import { drawEcharts } from './draw-echarts.ts'
import type { Size, Tools } from './tools.ts'
import { NOTE_SIZE } from './tools.ts'

const NODE_WIDTH = 10
const LABEL_GAP = 6

const keyOf = ({ step, name }: FlowItem): string => JSON.stringify([step, name])

/** Draws ways between items: the more took one, the wider it is. */
export const drawFlow = ({ edges }: FlowChart, size: Size, tools: Tools): readonly SvgNode[] => {
  const { theme, ruler } = tools
  const items = new Map(edges.flatMap(({ source, target }) => [source, target]).map((item) => [keyOf(item), item]))
  const steps = [...new Set([...items.values()].map(({ step }) => step))].toSorted((a, b) => a - b)
  const columnWidth = size.width / steps.length
  const labelWidth = columnWidth - NODE_WIDTH - 2 * LABEL_GAP
  const amounts = countItems(edges)
  return drawEcharts(
    {
      series: [
        {
          type: 'sankey',
          left: 2,
          top: 8,
          bottom: 8,
          // The labels of the last step are on its right.
          right: columnWidth - NODE_WIDTH,
          nodeWidth: NODE_WIDTH,
          nodeGap: 14,
          nodeAlign: 'left',
          draggable: false,
          silent: true,
          data: [...items.entries()].map(([name, { step }]) => ({
            name,
            depth: steps.indexOf(step),
            itemStyle: { color: colorOf(steps.indexOf(step), theme), borderWidth: 0 },
          })),
          links: edges.map(({ source, target, value }) => ({ source: keyOf(source), target: keyOf(target), value })),
          lineStyle: { color: theme.muted, opacity: 0.28, curveness: 0.5 },
          label: {
            position: 'right',
            distance: LABEL_GAP,
            fontSize: NOTE_SIZE,
            fontFamily: 'DejaVu Sans',
            color: theme.text,
            formatter: ({ name }) => {
              const number = ` ${formatNumber(amounts.get(name) ?? 0)}`
              const room = labelWidth - ruler.widthOf(number, { size: NOTE_SIZE }) - 4
              return `${ruler.shorten(items.get(name)?.name ?? '', { size: NOTE_SIZE }, room)}${number}`
            },
          },
        },
      ],
    },
    size,
    tools,
  )
}

/** How many came to each item; for the first ones, how many left them. */
const countItems = (edges: FlowChart['edges']): ReadonlyMap<string, number> => {
  const arrivals = new Map<string, number>()
  const departures = new Map<string, number>()
  for (const { source, target, value } of edges) {
    arrivals.set(keyOf(target), (arrivals.get(keyOf(target)) ?? 0) + value)
    departures.set(keyOf(source), (departures.get(keyOf(source)) ?? 0) + value)
  }
  return new Map([...departures, ...arrivals])
}
