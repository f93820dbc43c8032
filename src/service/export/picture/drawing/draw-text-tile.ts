import { markCut } from '../markdown/cut-line.ts'
import { parseMarkdown } from '../markdown/parse-markdown.ts'
import type { StyledLine } from '../markdown/wrap-spans.ts'
import { wrapSpans } from '../markdown/wrap-spans.ts'
import type { SvgNode } from '../svg/svg-node.ts'
import type { Ruler } from '../text/ruler.ts'
import { drawLine } from './draw-line.ts'
import type { Size, Tools } from './tools.ts'
import { FONT_SIZE } from './tools.ts'

/** Sizes of headings of the levels 1 and 2; those of further levels are as large as text, and bold. */
const HEADING_SIZES: Readonly<Record<number, number>> = { 1: 18, 2: 15 }
/** Height of a line, in units of its font size. */
const LINE_HEIGHT = 1.5
/** How far an item of a list is to the right of the text around it, and of its marker. */
const ITEM_INDENT = 16
const MARKER_GAP = 5

/** A line with its place. */
interface PlacedLine {
  readonly line: StyledLine
  /** What is in front of it; null for nothing. */
  readonly marker: string | null
  readonly size: number
  readonly x: number
  /** Of the base line. */
  readonly y: number
}

/** Draws a text with headings, lists, bold parts and links (`parseMarkdown`). What does not fit in the height is cut. */
export const drawTextTile = (text: string, size: Size, tools: Tools): readonly SvgNode[] =>
  placeLines(text, size, tools.ruler).flatMap((placed) => drawPlaced(placed, size.width, tools))

const placeLines = (text: string, { width, height }: Size, ruler: Ruler): readonly PlacedLine[] => {
  const placed: PlacedLine[] = []
  let top = 0
  for (const { level, marker, depth, spans } of parseMarkdown(text)) {
    const size = HEADING_SIZES[level] ?? FONT_SIZE
    const lineHeight = size * LINE_HEIGHT
    const x = marker === null ? 0 : (depth + 1) * ITEM_INDENT
    const lines = wrapSpans(spans, size, width - x, Math.floor((height - top) / lineHeight), ruler)
    for (const [index, line] of lines.entries()) {
      if (top + lineHeight > height) return markLast(placed)
      placed.push({ line, marker: index === 0 ? marker : null, size, x, y: top + size })
      top += lineHeight
    }
  }
  return placed
}

const markLast = (placed: readonly PlacedLine[]): readonly PlacedLine[] =>
  placed.map((each, index) => (index === placed.length - 1 ? { ...each, line: markCut(each.line) } : each))

const drawPlaced = ({ line, marker, size, x, y }: PlacedLine, width: number, tools: Tools): readonly SvgNode[] => {
  const fill = tools.theme.text
  const nodes = drawLine(line, { x, y, size, fill, maxWidth: width - x }, tools)
  if (marker === null) return nodes
  return [tools.drawText({ text: marker, x: x - MARKER_GAP, y, size, anchor: 'end', fill }), ...nodes]
}
