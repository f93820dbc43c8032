import type { FlowChart, FlowItem } from '../chart.ts'
import { formatNumber } from '../format/format-number.ts'
import type { SvgNode } from '../svg/svg-node.ts'
import { cutApart } from '../text/cut-apart.ts'
import { colorOf } from './color-of.ts'
import type { Box } from './draw-echarts.ts'
import { drawEchartsWithBoxes } from './draw-echarts.ts'
import { BASELINE_SHIFT } from './draw-text.ts'
import type { Size, Tools } from './tools.ts'
import { NOTE_SIZE } from './tools.ts'

const NODE_WIDTH = 10
const LABEL_GAP = 6
const LABEL_HEIGHT = 14

/** Of more nodes, each is thinner than its label is high, by far. */
const MAX_LABELS = 1000

const STYLE = { size: NOTE_SIZE }

const keyOf = ({ step, name }: FlowItem): string => JSON.stringify([step, name])

/** Draws ways between items: the more took one, the wider it is. */
export const drawFlow = ({ edges }: FlowChart, size: Size, tools: Tools): readonly SvgNode[] => {
  const { theme, ruler } = tools
  const items = new Map(edges.flatMap(({ source, target }) => [source, target]).map((item) => [keyOf(item), item]))
  const steps = [...new Set([...items.values()].map(({ step }) => step))].toSorted((a, b) => a - b)
  const columnWidth = size.width / steps.length
  const amounts = countItems(edges)
  const labels = [...items.entries()].map(([key, { step, name }]) => ({
    step,
    name,
    number: ` ${formatNumber(amounts.get(key) ?? 0)}`,
  }))
  // The labels of the last step are on its right. What they do not need is room for the others.
  const lastWidths = labels
    .filter(({ step }) => step === steps.at(-1))
    .map(({ name, number }) => ruler.widthOf(`${name}${number}`, STYLE) + 2 * LABEL_GAP)
  const { nodes, boxes } = drawEchartsWithBoxes(
    {
      series: [
        {
          type: 'sankey',
          left: 2,
          top: 8,
          bottom: 8,
          right: Math.min(columnWidth - NODE_WIDTH, Math.max(...lastWidths)),
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
          // Drawn below, where it is known how much room each has.
          label: { show: false },
        },
      ],
    },
    size,
    tools,
  )
  if (labels.length > MAX_LABELS) return nodes
  const rooms = labels.map(({ name, number }, index) => ({
    text: name,
    maxWidth: findLabelRoom(boxes[index]!, boxes, size.width) - ruler.widthOf(number, STYLE),
  }))
  const names = cutApart(rooms, STYLE, ruler)
  const texts = labels.map(({ number }, index) => {
    const { x, y, width, height } = boxes[index]!
    return tools.drawText({
      text: `${names[index]!}${number}`,
      x: x + width + LABEL_GAP,
      y: y + height / 2 + NOTE_SIZE * BASELINE_SHIFT,
      fill: theme.text,
      ...STYLE,
    })
  })
  return [...nodes, ...texts]
}

/** How far the label of a node can go to the right: to the next node at its height, whose own label may be higher than the node. */
const findLabelRoom = (node: Box, boxes: readonly Box[], width: number): number => {
  const left = node.x + node.width + LABEL_GAP
  const middle = node.y + node.height / 2
  const ends = boxes
    .filter(({ x, y, height }) => {
      const distance = Math.abs(y + height / 2 - middle)
      return x > node.x && distance < Math.max(LABEL_HEIGHT, (height + LABEL_HEIGHT) / 2)
    })
    .map(({ x }) => x - LABEL_GAP)
  return Math.max(0, Math.min(width, ...ends) - left)
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
