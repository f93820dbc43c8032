import type { MessageChart } from '../chart.ts'
import { markCut } from '../markdown/cut-line.ts'
import type { StyledLine } from '../markdown/wrap-spans.ts'
import { widthOf, wrapSpans } from '../markdown/wrap-spans.ts'
import type { SvgNode } from '../svg/svg-node.ts'
import { LINE_END } from '../text/line-end.ts'
import type { Ruler } from '../text/ruler.ts'
import { drawLine } from './draw-line.ts'
import type { Size, Tools } from './tools.ts'

const TEXT_SIZE = 14
const LINE_HEIGHT = 20
const MAX_LINES = 6

/** Draws a sentence in the middle. */
export const drawMessage = (
  { tone, text }: MessageChart,
  { width, height }: Size,
  tools: Tools,
): readonly SvgNode[] => {
  const maxWidth = width * 0.8
  const lines = wrapMessage(text, maxWidth, tools.ruler)
  const fill = tone === 'error' ? tools.theme.error : tools.theme.muted
  const top = height / 2 - ((lines.length - 1) * LINE_HEIGHT) / 2
  return lines.flatMap((line, index) => {
    const lineWidth = Math.min(maxWidth, widthOf(line.pieces, TEXT_SIZE, tools.ruler))
    const place = { x: (width - lineWidth) / 2, y: top + index * LINE_HEIGHT, size: TEXT_SIZE, fill, maxWidth }
    return drawLine(line, place, tools)
  })
}

const wrapMessage = (text: string, maxWidth: number, ruler: Ruler): readonly StyledLine[] => {
  const lines = text
    .split(LINE_END, MAX_LINES + 1)
    .flatMap((part) => wrapSpans([{ text: part, isBold: false, isLink: false }], TEXT_SIZE, maxWidth, MAX_LINES, ruler))
  const shown = lines.slice(0, MAX_LINES)
  return lines.length > MAX_LINES ? [...shown.slice(0, -1), markCut(shown.at(-1)!)] : shown
}
