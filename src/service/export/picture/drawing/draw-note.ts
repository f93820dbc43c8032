import type { SvgNode } from '../svg/svg-node.ts'
import type { Size, Tools } from './tools.ts'
import { NOTE_SIZE } from './tools.ts'

/** Draws what is left out below a drawing. */
export const drawNote = (text: string, { width, height }: Size, { theme, drawText }: Tools): SvgNode =>
  drawText({ text, x: 0, y: height - 4, size: NOTE_SIZE, fill: theme.muted, maxWidth: width })
