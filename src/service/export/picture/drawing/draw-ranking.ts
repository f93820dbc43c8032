import type { RankingChart } from '../chart.ts'
import { formatNumber } from '../format/format-number.ts'
import type { SvgNode } from '../svg/svg-node.ts'
import { createNode } from '../svg/svg-node.ts'
import { cutApart } from '../text/cut-apart.ts'
import { colorOf } from './color-of.ts'
import { drawNote } from './draw-note.ts'
import { BASELINE_SHIFT } from './draw-text.ts'
import type { Size, Tools } from './tools.ts'
import { FONT_SIZE } from './tools.ts'

const MIN_ROW_HEIGHT = 22
const MAX_ROW_HEIGHT = 44
const NOTE_HEIGHT = 20
const GAP = 10

/** Draws a bar to the right for each value, with its name before and its number behind it. */
export const drawRanking = ({ items }: RankingChart, { width, height }: Size, tools: Tools): readonly SvgNode[] => {
  const { ruler, theme } = tools
  const style = { size: FONT_SIZE }
  const fitting = Math.max(1, Math.floor((height - NOTE_HEIGHT) / MIN_ROW_HEIGHT))
  const shown = items.slice(0, items.length * MIN_ROW_HEIGHT <= height ? items.length : fitting)
  const rest = items.length - shown.length
  const rowHeight = Math.min(MAX_ROW_HEIGHT, (height - (rest > 0 ? NOTE_HEIGHT : 0)) / shown.length)
  const nameWidth = Math.min(width * 0.3, Math.max(...shown.map(({ name }) => ruler.widthOf(name, style))))
  const names = cutApart(
    shown.map(({ name }) => ({ text: name, maxWidth: nameWidth })),
    style,
    ruler,
  )
  const numberWidth = Math.max(...shown.map(({ value }) => ruler.widthOf(formatNumber(value), style)))
  const barRoom = Math.max(0, width - nameWidth - numberWidth - 2 * GAP)
  const lowest = Math.min(0, ...shown.map(({ value }) => value))
  const highest = Math.max(0, ...shown.map(({ value }) => value))
  const scale = highest === lowest ? 0 : barRoom / (highest - lowest)
  const zero = nameWidth + GAP - lowest * scale
  const nodes = shown.flatMap(({ value, color }, index) => {
    const middle = (index + 0.5) * rowHeight
    const y = middle + FONT_SIZE * BASELINE_SHIFT
    const left = zero + Math.min(0, value * scale)
    const barWidth = Math.abs(value) * scale
    return [
      tools.drawText({ text: names[index]!, x: nameWidth, y, anchor: 'end', fill: theme.text, ...style }),
      createNode('rect', {
        x: left,
        y: middle - rowHeight * 0.36,
        width: Math.max(1, barWidth),
        height: rowHeight * 0.72,
        rx: 2,
        fill: colorOf(color, theme),
      }),
      tools.drawText({ text: formatNumber(value), x: left + barWidth + 6, y, fill: theme.text, ...style }),
    ]
  })
  return rest === 0 ? nodes : [...nodes, drawNote(`${rest} more`, { width, height }, tools)]
}
