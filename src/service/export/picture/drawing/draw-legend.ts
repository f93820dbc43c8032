import type { SvgNode } from '../svg/svg-node.ts'
import { createNode } from '../svg/svg-node.ts'
import { cutApart } from '../text/cut-apart.ts'
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
/** Where names of this width do not fit either, some are left out. */
const MIN_NAME_WIDTH = 50

const STYLE = { size: FONT_SIZE }

/** Draws the names of series in rows, as many as there is room for, and how many more there are. Names are cut before one is left out. */
export const drawLegend = (
  items: readonly LegendItem[],
  { width, height }: Size,
  tools: Tools,
): { readonly nodes: readonly SvgNode[]; readonly height: number } => {
  const { ruler, theme } = tools
  const rows = Math.max(1, Math.floor(height / ROW_HEIGHT))
  const more = (count: number): string => `+ ${count} more`
  const room = { width, rows, moreWidth: ruler.widthOf(more(items.length), STYLE) }
  // More cannot have room, even without names.
  const listed = items.slice(0, Math.max(0, Math.ceil((rows * width) / (SWATCH_WIDTH + SWATCH_GAP))) + 1)
  const widths = listed.map(({ name }) => ruler.widthOf(name, STYLE))
  const maxWidth = findNameWidth(widths, items.length, room)
  const names = cutApart(
    listed.map(({ name }) => ({ text: name, maxWidth })),
    STYLE,
    ruler,
  )
  const nameWidths = names.map((name) => ruler.widthOf(name, STYLE))
  const { places, end } = placeItems(nameWidths, items.length, room)
  const nodes = places.flatMap(({ x, row }, index) => {
    const middle = row * ROW_HEIGHT + ROW_HEIGHT / 2
    const { color, isDashed } = items[index]!
    return [
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
        text: names[index]!,
        x: x + SWATCH_WIDTH + SWATCH_GAP,
        y: middle + FONT_SIZE * BASELINE_SHIFT,
        fill: theme.text,
        ...STYLE,
      }),
    ]
  })
  if (places.length < items.length) {
    const y = end.row * ROW_HEIGHT + ROW_HEIGHT / 2 + FONT_SIZE * BASELINE_SHIFT
    nodes.push(tools.drawText({ text: more(items.length - places.length), x: end.x, y, fill: theme.muted, ...STYLE }))
  }
  return { nodes, height: (end.row + 1) * ROW_HEIGHT + 4 }
}

interface Room {
  readonly width: number
  readonly rows: number
  /** Of the text that tells how many names are left out. */
  readonly moreWidth: number
}

interface Place {
  readonly x: number
  readonly row: number
}

/** The greatest width to which names are cut so that all are shown. */
const findNameWidth = (widths: readonly number[], count: number, room: Room): number => {
  const longest = room.width - SWATCH_WIDTH - SWATCH_GAP
  const fits = (maxWidth: number): boolean =>
    placeItems(
      widths.map((width) => Math.min(width, maxWidth)),
      count,
      room,
    ).places.length === count
  let high = Math.floor(
    Math.min(longest, Math.max(NAME_WIDTH, room.width / count - ITEM_GAP - SWATCH_WIDTH - SWATCH_GAP)),
  )
  let low = Math.min(high, MIN_NAME_WIDTH)
  if (fits(high)) return high
  while (low < high) {
    const middle = Math.ceil((low + high) / 2)
    if (fits(middle)) low = middle
    else high = middle - 1
  }
  return low
}

/** Places items in rows, as many as there is room for; `end` is behind the last one. */
const placeItems = (
  nameWidths: readonly number[],
  count: number,
  { width, rows, moreWidth }: Room,
): { readonly places: readonly Place[]; readonly end: Place } => {
  const places: Place[] = []
  let x = 0
  let row = 0
  for (const [index, nameWidth] of nameWidths.entries()) {
    const itemWidth = SWATCH_WIDTH + SWATCH_GAP + nameWidth
    // The last row keeps room for how many are left out.
    const end = row === rows - 1 && index < count - 1 ? width - moreWidth - ITEM_GAP : width
    if (x > 0 && x + itemWidth > end) {
      if (row === rows - 1) break
      row += 1
      x = 0
    }
    places.push({ x, row })
    x += itemWidth + ITEM_GAP
  }
  return { places, end: { x, row } }
}
