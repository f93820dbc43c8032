import type { Ruler } from '../text/ruler.ts'
import type { Piece, StyledLine } from './wrap-spans.ts'
import { styleOf, widthOf, widthOfSpace } from './wrap-spans.ts'

const ELLIPSIS = '…'

/** A line that fits in a width: without the end of what is read, if it is longer. What is added there has no level of its own. */
export const cutLine = (line: StyledLine, size: number, maxWidth: number, ruler: Ruler): StyledLine => {
  if (widthOf(line.pieces, size, ruler) <= maxWidth) return line
  const pieces: Piece[] = []
  let room = maxWidth
  let kept = 0
  for (const piece of line.pieces) {
    if (piece.isSpaced) room -= widthOfSpace(piece, size, ruler)
    const text = ruler.shorten(piece.text, styleOf(piece, size), room)
    if (text !== '') pieces.push({ ...piece, text })
    kept += (piece.isSpaced ? 1 : 0) + (text === piece.text ? text.length : Math.max(0, text.length - ELLIPSIS.length))
    if (text !== piece.text) break
    room -= ruler.widthOf(text, styleOf(piece, size))
  }
  return { ...line, pieces, levels: line.levels.subarray(0, kept) }
}

/** Marks a line as one that others follow. Where the mark does not fit, `cutLine` ends the line with an ellipsis, too. */
export const markCut = (line: StyledLine): StyledLine => {
  const last = line.pieces.at(-1) ?? { text: '', isBold: false, isLink: false, isSpaced: false }
  return { ...line, pieces: [...line.pieces.slice(0, -1), { ...last, text: `${last.text} …`.trim() }] }
}
