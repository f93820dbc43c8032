import { parseMarkdown } from '../markdown/parse-markdown.ts'
import type { Piece } from '../markdown/wrap-spans.ts'
import { spaceBefore, styleOf, wrapSpans } from '../markdown/wrap-spans.ts'
import type { SvgNode } from '../svg/svg-node.ts'
import type { Ruler } from '../text/ruler.ts'
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
  readonly pieces: readonly Piece[]
  /** What is in front of it; null for nothing. */
  readonly marker: string | null
  readonly size: number
  readonly x: number
  /** Of the base line. */
  readonly y: number
}

/** Draws a text with headings, lists, bold parts and links (`parseMarkdown`). What does not fit in the height is cut. */
export const drawTextTile = (text: string, size: Size, tools: Tools): readonly SvgNode[] =>
  placeLines(text, size, tools.ruler).flatMap((line) => drawLine(line, size.width, tools))

const placeLines = (text: string, { width, height }: Size, ruler: Ruler): readonly PlacedLine[] => {
  const placed: PlacedLine[] = []
  let top = 0
  for (const { level, marker, depth, spans } of parseMarkdown(text)) {
    const size = HEADING_SIZES[level] ?? FONT_SIZE
    const lineHeight = size * LINE_HEIGHT
    const x = marker === null ? 0 : (depth + 1) * ITEM_INDENT
    const lines = wrapSpans(spans, size, width - x, Math.floor((height - top) / lineHeight), ruler)
    // An empty line has its height, too.
    for (const [index, line] of (lines.length === 0 ? [[]] : lines).entries()) {
      if (top + lineHeight > height) return markCut(placed)
      placed.push({ pieces: line, marker: index === 0 ? marker : null, size, x, y: top + size })
      top += lineHeight
    }
  }
  return placed
}

/** Marks the last line as one that others follow. */
const markCut = (lines: readonly PlacedLine[]): readonly PlacedLine[] => {
  const last = lines.at(-1)
  if (last === undefined) return lines
  const piece = last.pieces.at(-1) ?? { text: '', isBold: false, isLink: false, isSpaced: false }
  // Where it does not fit, the line is cut, and then ends with an ellipsis, too.
  const marked = { ...piece, text: `${piece.text} …`.trim() }
  return [...lines.slice(0, -1), { ...last, pieces: [...last.pieces.slice(0, -1), marked] }]
}

const drawLine = (
  { pieces, marker, size, x, y }: PlacedLine,
  width: number,
  { theme, ruler, drawText }: Tools,
): readonly SvgNode[] => {
  const nodes: SvgNode[] = []
  if (marker !== null)
    nodes.push(drawText({ text: marker, x: x - MARKER_GAP, y, size, anchor: 'end', fill: theme.text }))
  let left = x
  for (const piece of pieces) {
    const style = styleOf(piece, size)
    left += spaceBefore(piece, size, ruler)
    const text = ruler.shorten(piece.text, style, width - left)
    if (text !== '')
      nodes.push(drawText({ text, x: left, y, ...style, fill: piece.isLink ? theme.series[0]! : theme.text }))
    left += ruler.widthOf(piece.text, style)
  }
  return nodes
}
