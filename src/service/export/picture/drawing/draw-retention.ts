import type { RetentionChart } from '../chart.ts'
import { formatNumber, formatPercent } from '../format/format-number.ts'
import type { SvgNode } from '../svg/svg-node.ts'
import { createNode } from '../svg/svg-node.ts'
import { contrastOf, mix } from '../theme.ts'
import { drawNote } from './draw-note.ts'
import { BASELINE_SHIFT } from './draw-text.ts'
import type { Size, Tools } from './tools.ts'
import { NOTE_SIZE } from './tools.ts'

const MIN_ROW_HEIGHT = 18
const MAX_ROW_HEIGHT = 34
const HEAD_HEIGHT = 24
const NOTE_HEIGHT = 20
const MIN_CELL_WIDTH = 50

/** Draws a row of percentages for each cohort; the more returned, the stronger the colour. */
export const drawRetention = (chart: RetentionChart, { width, height }: Size, tools: Tools): readonly SvgNode[] => {
  const { theme, ruler, drawText } = tools
  const style = { size: NOTE_SIZE }
  const widest = (texts: readonly string[]): number => Math.max(...texts.map((text) => ruler.widthOf(text, style)))
  const nameWidth = Math.min(width * 0.22, widest(chart.cohorts.map(({ name }) => name)))
  const sizeWidth = widest(['Size', ...chart.cohorts.map(({ counts }) => formatNumber(counts[0] ?? 0))])
  const left = nameWidth + sizeWidth + 28
  const columnCount = Math.min(chart.periods.length, Math.max(1, Math.floor((width - left) / MIN_CELL_WIDTH)))
  const cellWidth = (width - left) / columnCount
  const room = height - HEAD_HEIGHT
  const isCut = chart.cohorts.length * MIN_ROW_HEIGHT > room || columnCount < chart.periods.length
  const rowRoom = room - (isCut ? NOTE_HEIGHT : 0)
  const rowCount = Math.min(chart.cohorts.length, Math.max(1, Math.floor(rowRoom / MIN_ROW_HEIGHT)))
  const rowHeight = Math.min(MAX_ROW_HEIGHT, rowRoom / rowCount)
  const headY = HEAD_HEIGHT / 2 + NOTE_SIZE * BASELINE_SHIFT
  const head = [
    drawText({ text: 'Size', x: nameWidth + 14 + sizeWidth, y: headY, anchor: 'end', fill: theme.muted, ...style }),
    ...chart.periods.slice(0, columnCount).map((text, index) =>
      drawText({
        text,
        x: left + (index + 0.5) * cellWidth,
        y: headY,
        anchor: 'middle',
        fill: theme.muted,
        maxWidth: cellWidth,
        ...style,
      }),
    ),
  ]
  const rows = chart.cohorts.slice(0, rowCount).flatMap(({ name, counts }, row) => {
    const top = HEAD_HEIGHT + row * rowHeight
    const y = top + rowHeight / 2 + NOTE_SIZE * BASELINE_SHIFT
    const cells = counts.slice(0, columnCount).flatMap((count, index) => {
      const whole = (chart.reference === 'previous' && index > 0 ? counts[index - 1] : counts[0]) ?? 0
      const share = whole === 0 ? 0 : count / whole
      const fill = mix(theme.series[0]!, theme.background, 0.06 + 0.94 * Math.min(1, share))
      const color = contrastOf(theme.text, fill) >= contrastOf(theme.background, fill) ? theme.text : theme.background
      return [
        createNode('rect', {
          x: left + index * cellWidth + 1,
          y: top + 1,
          width: cellWidth - 2,
          height: rowHeight - 2,
          rx: 2,
          fill,
        }),
        drawText({
          text: whole === 0 ? '–' : formatPercent(share * 100),
          x: left + (index + 0.5) * cellWidth,
          y,
          anchor: 'middle',
          fill: color,
          ...style,
        }),
      ]
    })
    return [
      drawText({ text: name, x: 0, y, fill: theme.text, maxWidth: nameWidth, ...style }),
      drawText({
        text: formatNumber(counts[0] ?? 0),
        x: nameWidth + 14 + sizeWidth,
        y,
        anchor: 'end',
        fill: theme.text,
        ...style,
      }),
      ...cells,
    ]
  })
  if (!isCut) return [...head, ...rows]
  const note = `${rowCount} of ${chart.cohorts.length} cohorts, ${columnCount} of ${chart.periods.length} periods`
  return [...head, ...rows, drawNote(note, { width, height }, tools)]
}
