import type { SvgNode } from '../svg/svg-node.ts'
import type { Ruler } from '../text/ruler.ts'
import type { Theme } from '../theme.ts'
import type { TextMark } from './draw-text.ts'

/** Room for a drawing, in units of the picture. */
export interface Size {
  readonly width: number
  readonly height: number
}

/** What drawings are made with. */
export interface Tools {
  readonly theme: Theme
  readonly ruler: Ruler
  readonly drawText: (mark: TextMark) => SvgNode
  /** Pixels of the file, or of a sharp screen, per unit: finer detail cannot be seen. */
  readonly pixelsPerUnit: number
}

/** Sizes of texts. */
export const FONT_SIZE = 12
export const TITLE_SIZE = 17
export const NOTE_SIZE = 11
