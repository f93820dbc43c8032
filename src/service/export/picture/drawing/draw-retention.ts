import type { RetentionChart } from '../chart.ts'
import { formatNumber, formatPercent } from '../format/format-number.ts'
import type { SvgNode } from '../svg/svg-node.ts'
import { createNode, moveTo } from '../svg/svg-node.ts'
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
const COLUMN_GAP = 14
const CELL_GAP = 2

/** The share of the colour in a cell without persons; the others have more. */
const FAINTEST = 0.06

/** Where the parts of the table are. */
interface Layout {
  readonly nameWidth: number
  /** Right end of the sizes of cohorts. */
  readonly sizeEnd: number
  /** Left end of the first cell. */
  readonly left: number
  readonly cell: Size
  readonly columnCount: number
  readonly rowCount: number
}

/** Draws a row of percentages for each cohort; the more returned, the stronger the colour. */
export const drawRetention = (chart: RetentionChart, size: Size, tools: Tools): readonly SvgNode[] => {
  const layout = layOut(chart, size, tools)
  const { rowCount, columnCount, cell } = layout
  const rows = chart.cohorts
    .slice(0, rowCount)
    .map((_, row) => moveTo(0, HEAD_HEIGHT + row * cell.height, drawRow(chart, row, layout, tools)))
  const nodes = [...drawHead(chart, layout, tools), ...rows]
  if (rowCount === chart.cohorts.length && columnCount === chart.periods.length) return nodes
  const note = `${rowCount} of ${chart.cohorts.length} cohorts, ${columnCount} of ${chart.periods.length} periods`
  return [...nodes, drawNote(note, size, tools)]
}

const layOut = ({ cohorts, periods }: RetentionChart, { width, height }: Size, { ruler }: Tools): Layout => {
  const widest = (texts: readonly string[]): number =>
    Math.max(...texts.map((text) => ruler.widthOf(text, { size: NOTE_SIZE })))
  const nameWidth = Math.min(width * 0.22, widest(cohorts.map(({ name }) => name)))
  const sizeEnd = nameWidth + COLUMN_GAP + widest(['Size', ...cohorts.map(({ counts }) => formatSize(counts))])
  const left = sizeEnd + COLUMN_GAP
  const columnCount = Math.min(periods.length, Math.max(1, Math.floor((width - left) / MIN_CELL_WIDTH)))
  const room = height - HEAD_HEIGHT
  const isCut = cohorts.length * MIN_ROW_HEIGHT > room || columnCount < periods.length
  const rowRoom = room - (isCut ? NOTE_HEIGHT : 0)
  const rowCount = Math.min(cohorts.length, Math.max(1, Math.floor(rowRoom / MIN_ROW_HEIGHT)))
  const cell = { width: (width - left) / columnCount, height: Math.min(MAX_ROW_HEIGHT, rowRoom / rowCount) }
  return { nameWidth, sizeEnd, left, cell, columnCount, rowCount }
}

const formatSize = (counts: readonly number[]): string => formatNumber(counts[0] ?? 0)

const drawHead = ({ periods }: RetentionChart, layout: Layout, { theme, drawText }: Tools): readonly SvgNode[] => {
  const { sizeEnd, left, cell, columnCount } = layout
  const style = { y: HEAD_HEIGHT / 2 + NOTE_SIZE * BASELINE_SHIFT, size: NOTE_SIZE, fill: theme.muted }
  return [
    drawText({ ...style, text: 'Size', x: sizeEnd, anchor: 'end' }),
    ...periods
      .slice(0, columnCount)
      .map((text, index) =>
        drawText({ ...style, text, x: left + (index + 0.5) * cell.width, anchor: 'middle', maxWidth: cell.width }),
      ),
  ]
}

const drawRow = (
  { cohorts, reference }: RetentionChart,
  row: number,
  layout: Layout,
  tools: Tools,
): readonly SvgNode[] => {
  const { nameWidth, sizeEnd, left, cell, columnCount } = layout
  const { name, counts } = cohorts[row]!
  const style = { y: cell.height / 2 + NOTE_SIZE * BASELINE_SHIFT, size: NOTE_SIZE, fill: tools.theme.text }
  const cells = counts.slice(0, columnCount).map((count, index) => {
    const whole = counts[reference === 'previous' ? Math.max(0, index - 1) : 0]!
    return moveTo(left + index * cell.width, 0, drawCell(whole === 0 ? null : count / whole, cell, tools))
  })
  return [
    tools.drawText({ ...style, text: name, x: 0, maxWidth: nameWidth }),
    tools.drawText({ ...style, text: formatSize(counts), x: sizeEnd, anchor: 'end' }),
    ...cells,
  ]
}

/** @param share Null for a share without persons. */
const drawCell = (share: number | null, { width, height }: Size, { theme, drawText }: Tools): readonly SvgNode[] => {
  const strength = FAINTEST + (1 - FAINTEST) * Math.min(1, share ?? 0)
  const fill = mix(theme.series[0]!, theme.background, strength)
  const color = contrastOf(theme.text, fill) >= contrastOf(theme.background, fill) ? theme.text : theme.background
  const place = { x: CELL_GAP / 2, y: CELL_GAP / 2, width: width - CELL_GAP, height: height - CELL_GAP }
  return [
    createNode('rect', { ...place, rx: 2, fill }),
    drawText({
      text: share === null ? '–' : formatPercent(share * 100),
      x: width / 2,
      y: height / 2 + NOTE_SIZE * BASELINE_SHIFT,
      anchor: 'middle',
      size: NOTE_SIZE,
      fill: color,
    }),
  ]
}
