import type { NumberChart } from '../chart.ts'
import { formatNumber, formatPercent } from '../format/format-number.ts'
import type { SvgNode } from '../svg/svg-node.ts'
import { drawNote } from './draw-note.ts'
import type { Size, Tools } from './tools.ts'

const MIN_SIZE = 20
const MAX_SIZE = 96

/** Height of a number with its name and its change, in units of its font size. */
const BLOCK_HEIGHT = 2.1

const PADDING = 12

/** Draws numbers as large as their place allows, with their names below. */
export const drawNumbers = ({ items }: NumberChart, { width, height }: Size, tools: Tools): readonly SvgNode[] => {
  const widest = Math.max(...items.map(({ value }) => tools.ruler.widthOf(toText(value), { size: 1, weight: 'bold' })))
  // A number that is cut would be another number, so that its width decides before all else.
  const fitWidth = (columns: number): number => (width / columns - 2 * PADDING) / widest
  const fitHeight = (columns: number): number => height / Math.ceil(items.length / columns) / BLOCK_HEIGHT
  const sizeIn = (columns: number): number =>
    Math.min(MAX_SIZE, fitWidth(columns), Math.max(MIN_SIZE, fitHeight(columns)))
  const counts = items.map((_, index) => index + 1)
  const columns = counts.reduce((best, each) => (sizeIn(each) > sizeIn(best) ? each : best), 1)
  const size = sizeIn(columns)
  const rows = Math.min(Math.ceil(items.length / columns), Math.max(1, Math.floor(height / (size * BLOCK_HEIGHT))))
  const shown = items.slice(0, columns * rows)
  const nodes = shown.flatMap((item, index) =>
    drawNumber(item, {
      x: ((index % columns) + 0.5) * (width / columns),
      y: (Math.floor(index / columns) + 0.5) * (height / rows),
      size,
      width: width / columns - 2 * PADDING,
      tools,
    }),
  )
  const rest = items.length - shown.length
  return rest === 0 ? nodes : [...nodes, drawNote(`${rest} more`, { width, height }, tools)]
}

const toText = (value: number | null): string => (value === null ? '–' : formatNumber(value))

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
  const lines = [
    { text: toText(value), size, weight: 'bold' as const, fill: theme.text, y: 0.1 * size },
    { text: name, size: labelSize, fill: theme.muted, y: 0.3 * size + 1.5 * labelSize },
    ...(value === null || earlier === null
      ? []
      : [
          { text: describeChange(value, earlier), size: labelSize, fill: theme.muted, y: 0.3 * size + 3.1 * labelSize },
        ]),
  ]
  return lines.map((line, index) =>
    drawText({ ...line, x, y: y + line.y, anchor: 'middle', ...(index > 0 && { maxWidth: width }) }),
  )
}

const describeChange = (value: number, earlier: number): string => {
  const before = `${formatNumber(earlier)} earlier`
  if (earlier === 0 || value === earlier) return before
  const change = ((value - earlier) / Math.abs(earlier)) * 100
  return `${change > 0 ? '▲' : '▼'} ${formatPercent(Math.abs(change))} (${before})`
}
