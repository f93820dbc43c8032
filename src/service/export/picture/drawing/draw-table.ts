import type { Cell, TableChart } from '../chart.ts'
import { formatNumber } from '../format/format-number.ts'
import type { SvgNode } from '../svg/svg-node.ts'
import { createNode } from '../svg/svg-node.ts'
import { drawNote } from './draw-note.ts'
import { BASELINE_SHIFT } from './draw-text.ts'
import { shareWidth } from './share-width.ts'
import type { Size, Tools } from './tools.ts'
import { FONT_SIZE } from './tools.ts'

const ROW_HEIGHT = 24
const NOTE_HEIGHT = 20
const PADDING = 10
const MIN_COLUMN_WIDTH = 60

/** Draws the rows and columns for which there is room, and how many there are. */
export const drawTable = (chart: TableChart, size: Size, tools: Tools): readonly SvgNode[] => {
  const { width, height } = size
  const { ruler, theme, drawText } = tools
  const columnCount = Math.min(chart.columns.length, Math.max(1, Math.floor(width / MIN_COLUMN_WIDTH)))
  const isTooHigh = (chart.rows.length + 1) * ROW_HEIGHT > height
  const isCut = isTooHigh || chart.hasMore || columnCount < chart.columns.length
  const rowCount = Math.max(1, Math.floor((height - (isCut ? NOTE_HEIGHT : 0)) / ROW_HEIGHT) - 1)
  const rows = chart.rows.slice(0, rowCount)
  const columns = chart.columns.slice(0, columnCount)
  const isNumeric = columns.map((_, index) => isNumericColumn(rows.map((row) => row[index] ?? null)))
  const wanted = columns.map(
    (name, index) =>
      2 * PADDING +
      Math.max(
        ruler.widthOf(name, { size: FONT_SIZE, weight: 'bold' }),
        ...rows.map((row) => ruler.widthOf(formatCell(row[index] ?? null), { size: FONT_SIZE })),
      ),
  )
  const widths = shareWidth(wanted, width, MIN_COLUMN_WIDTH)
  const lefts = widths.map((_, index) => widths.slice(0, index).reduce((sum, each) => sum + each, 0))
  const drawRow = (texts: readonly string[], row: number, weight: 'normal' | 'bold'): readonly SvgNode[] =>
    texts.map((text, index) =>
      drawText({
        text,
        x: lefts[index]! + (isNumeric[index] ? widths[index]! - PADDING : PADDING),
        y: (row + 0.5) * ROW_HEIGHT + FONT_SIZE * BASELINE_SHIFT,
        anchor: isNumeric[index] ? 'end' : 'start',
        size: FONT_SIZE,
        weight,
        fill: theme.text,
        maxWidth: widths[index]! - 2 * PADDING,
      }),
    )
  const tableWidth = widths.reduce((sum, each) => sum + each, 0)
  const grounds = rows.flatMap((_, index) =>
    index % 2 === 0
      ? [
          createNode('rect', {
            x: 0,
            y: (index + 1) * ROW_HEIGHT,
            width: tableWidth,
            height: ROW_HEIGHT,
            fill: theme.ground,
          }),
        ]
      : [],
  )
  const line = createNode('line', { x1: 0, x2: tableWidth, y1: ROW_HEIGHT, y2: ROW_HEIGHT, stroke: theme.muted })
  return [
    ...grounds,
    line,
    ...drawRow(columns, 0, 'bold'),
    ...rows.flatMap((row, index) =>
      drawRow(
        columns.map((_, column) => formatCell(row[column] ?? null)),
        index + 1,
        'normal',
      ),
    ),
    ...(isCut ? [drawNote(describeCut(chart, rows.length, columnCount), size, tools)] : []),
  ]
}

const describeCut = ({ rows, columns, hasMore }: TableChart, rowCount: number, columnCount: number): string => {
  const parts = [`${formatNumber(rowCount)} of ${hasMore ? 'more than ' : ''}${formatNumber(rows.length)} rows`]
  if (columnCount < columns.length) parts.push(`${columnCount} of ${columns.length} columns`)
  return parts.join(', ')
}

const isNumericColumn = (cells: readonly Cell[]): boolean => {
  const present = cells.filter((cell) => cell !== null)
  return present.length > 0 && present.every((cell) => typeof cell === 'number')
}

const formatCell = (cell: Cell): string => {
  if (cell === null) return '–'
  return typeof cell === 'number' ? formatNumber(cell) : String(cell)
}
