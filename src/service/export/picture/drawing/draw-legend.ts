import type { SvgNode } from '../svg/svg-node.ts'
import { createNode } from '../svg/svg-node.ts'
import { BASELINE_SHIFT } from './draw-text.ts'
import type { Size, Tools } from './tools.ts'
import { FONT_SIZE } from './tools.ts'

export interface LegendItem {
  readonly name: string
  readonly color: string
  readonly isDashed: boolean
}

const ROW_HEIGHT = 20
const SWATCH_WIDTH = 14
const SWATCH_GAP = 6
const ITEM_GAP = 18
/** Names are cut to this width, unless there is room for longer ones. */
const NAME_WIDTH = 200

/** Draws the names of series in rows, as many as there is room for, and how many more there are. */
export const drawLegend = (
  items: readonly LegendItem[],
  { width, height }: Size,
  tools: Tools,
): { readonly nodes: readonly SvgNode[]; readonly height: number } => {
  const { ruler, theme } = tools
  const style = { size: FONT_SIZE }
  const maxRows = Math.max(1, Math.floor(height / ROW_HEIGHT))
  const nameWidth = Math.max(NAME_WIDTH, width / items.length - ITEM_GAP - SWATCH_WIDTH - SWATCH_GAP)
  const moreWidth = ruler.widthOf(`+ ${items.length} more`, style)
  const nodes: SvgNode[] = []
  let x = 0
  let row = 0
  for (const [index, { name, color, isDashed }] of items.entries()) {
    const maxNameWidth = Math.min(nameWidth, width - SWATCH_WIDTH - SWATCH_GAP)
    const label = ruler.shorten(name, style, maxNameWidth)
    const itemWidth = SWATCH_WIDTH + SWATCH_GAP + ruler.widthOf(label, style)
    const isLast = index === items.length - 1
    // The last row keeps room for how many are left out.
    const room = row === maxRows - 1 && !isLast ? width - moreWidth - ITEM_GAP : width
    if (x > 0 && x + itemWidth > room) {
      if (row === maxRows - 1) {
        const y = row * ROW_HEIGHT + ROW_HEIGHT / 2 + FONT_SIZE * BASELINE_SHIFT
        nodes.push(tools.drawText({ text: `+ ${items.length - index} more`, x, y, fill: theme.muted, ...style }))
        break
      }
      row += 1
      x = 0
    }
    const middle = row * ROW_HEIGHT + ROW_HEIGHT / 2
    nodes.push(
      createNode('line', {
        x1: x,
        x2: x + SWATCH_WIDTH,
        y1: middle,
        y2: middle,
        stroke: color,
        'stroke-width': isDashed ? 2.5 : 4,
        ...(isDashed && { 'stroke-dasharray': '4 3' }),
      }),
      tools.drawText({
        text: label,
        x: x + SWATCH_WIDTH + SWATCH_GAP,
        y: middle + FONT_SIZE * BASELINE_SHIFT,
        fill: theme.text,
        ...style,
      }),
    )
    x += itemWidth + ITEM_GAP
  }
  return { nodes, height: (row + 1) * ROW_HEIGHT + 4 }
}
