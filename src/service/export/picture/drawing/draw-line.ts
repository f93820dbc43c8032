import { cutLine } from '../markdown/cut-line.ts'
import { orderLine } from '../markdown/order-line.ts'
import type { StyledLine } from '../markdown/wrap-spans.ts'
import { styleOf, widthOfSpace } from '../markdown/wrap-spans.ts'
import type { SvgNode } from '../svg/svg-node.ts'
import type { Tools } from './tools.ts'

/** Where a line is drawn, and how. */
export interface LinePlace {
  /** Of its left end. */
  readonly x: number
  /** Of the base line. */
  readonly y: number
  readonly size: number
  readonly fill: string
  /** The line is cut to this width. */
  readonly maxWidth: number
}

/** Draws a line of a paragraph: its parts from left to right, each in its style and in the direction that it has in the paragraph. */
export const drawLine = (
  line: StyledLine,
  { x, y, size, fill, maxWidth }: LinePlace,
  { theme, ruler, drawText }: Tools,
): readonly SvgNode[] => {
  const parts = orderLine(cutLine(line, size, maxWidth, ruler))
  // A line that is one such part needs no exact width, which takes time.
  const isPlain = parts.length === 1 && parts[0]!.direction === 'left-to-right'
  const nodes: SvgNode[] = []
  let left = x
  for (const part of parts) {
    const style = styleOf(part, size)
    const text = part.text.trim()
    const space = widthOfSpace(part, size, ruler)
    const before = part.text.startsWith(' ') ? space : 0
    const after = part.text !== ' ' && part.text.endsWith(' ') ? space : 0
    left += part.direction === 'left-to-right' ? before : after
    if (text !== '') {
      const mark = { text, x: left, y, ...style, fill: part.isLink ? theme.series[0]! : fill }
      if (isPlain) return [drawText(mark)]
      nodes.push(drawText({ ...mark, direction: part.direction }))
      left += ruler.layOut(text, style.weight ?? 'normal', part.direction).width * size
    }
    left += part.direction === 'left-to-right' ? after : before
  }
  return nodes
}
