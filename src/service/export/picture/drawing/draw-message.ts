import type { MessageChart } from '../chart.ts'
import type { SvgNode } from '../svg/svg-node.ts'
import type { Size, Tools } from './tools.ts'
import { wrapText } from './wrap-text.ts'

const TEXT_SIZE = 14
const LINE_HEIGHT = 20
const MAX_LINES = 6

/** Draws a sentence in the middle. */
export const drawMessage = (
  { tone, text }: MessageChart,
  { width, height }: Size,
  tools: Tools,
): readonly SvgNode[] => {
  const lines = wrapText(text, { size: TEXT_SIZE }, width * 0.8, MAX_LINES, tools.ruler)
  const fill = tone === 'error' ? tools.theme.error : tools.theme.muted
  const top = height / 2 - ((lines.length - 1) * LINE_HEIGHT) / 2
  return lines.map((line, index) =>
    tools.drawText({ text: line, x: width / 2, y: top + index * LINE_HEIGHT, size: TEXT_SIZE, anchor: 'middle', fill }),
  )
}
