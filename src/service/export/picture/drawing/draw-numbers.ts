import type { NumberChart } from '../chart.ts'
import { formatNumber, formatPercent } from '../format/format-number.ts'
import type { SvgNode } from '../svg/svg-node.ts'
import { drawNote } from './draw-note.ts'
import type { Size, Tools } from './tools.ts'

const MIN_CELL_WIDTH = 150
const MIN_CELL_HEIGHT = 84

/** Draws numbers as large as their place allows, with their names below. */
export const drawNumbers = ({ items }: NumberChart, { width, height }: Size, tools: Tools): readonly SvgNode[] => {
  const columns = Math.min(
    items.length,
    Math.max(1, Math.floor(width / MIN_CELL_WIDTH)),
    Math.ceil(Math.sqrt(items.length)),
  )
  const rows = Math.min(Math.ceil(items.length / columns), Math.max(1, Math.floor(height / MIN_CELL_HEIGHT)))
  const shown = items.slice(0, columns * rows)
  const cell = { width: width / columns, height: height / rows }
  const size = Math.max(
    18,
    Math.min(cell.height * 0.32, 96, ...shown.map((item) => fit(item.value, cell.width - 24, tools))),
  )
  const nodes = shown.flatMap((item, index) =>
    drawNumber(item, {
      x: ((index % columns) + 0.5) * cell.width,
      y: (Math.floor(index / columns) + 0.5) * cell.height,
      size,
      width: cell.width - 24,
      tools,
    }),
  )
  const rest = items.length - shown.length
  return rest === 0 ? nodes : [...nodes, drawNote(`${rest} more`, { width, height }, tools)]
}

const toText = (value: number | null): string => (value === null ? '–' : formatNumber(value))

/** The largest font size at which a number fits. */
const fit = (value: number | null, width: number, { ruler }: Tools): number =>
  width / ruler.widthOf(toText(value), { size: 1, weight: 'bold' })

interface Place {
  readonly x: number
  readonly y: number
  readonly size: number
  readonly width: number
  readonly tools: Tools
}

const drawNumber = (
  { name, value, earlier }: NumberChart['items'][number],
  { x, y, size, width, tools }: Place,
): readonly SvgNode[] => {
  const { theme, drawText } = tools
  const labelSize = Math.min(16, Math.max(12, size * 0.3))
  const nodes = [
    drawText({
      text: toText(value),
      x,
      y: y + size * 0.2,
      size,
      weight: 'bold',
      anchor: 'middle',
      fill: theme.text,
      maxWidth: width,
    }),
    drawText({
      text: name,
      x,
      y: y + size * 0.2 + labelSize * 1.8,
      size: labelSize,
      anchor: 'middle',
      fill: theme.muted,
      maxWidth: width,
    }),
  ]
  if (value === null || earlier === null) return nodes
  return [
    ...nodes,
    drawText({
      text: describeChange(value, earlier),
      x,
      y: y + size * 0.2 + labelSize * 3.3,
      size: labelSize * 0.9,
      anchor: 'middle',
      fill: theme.muted,
      maxWidth: width,
    }),
  ]
}

const describeChange = (value: number, earlier: number): string => {
  const before = `${formatNumber(earlier)} earlier`
  if (earlier === 0 || value === earlier) return before
  const change = ((value - earlier) / Math.abs(earlier)) * 100
  return `${change > 0 ? '▲' : '▼'} ${formatPercent(Math.abs(change))} (${before})`
}
