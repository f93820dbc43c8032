import type { Ruler, TextStyle } from '../text/ruler.ts'
import type { Span } from './parse-spans.ts'

/** A part of a line of a picture, without spaces at its ends: texts are drawn without these. */
export interface Piece extends Span {
  /** Whether a space is before it. */
  readonly isSpaced: boolean
}

/**
 * Splits spans into lines of a width, at spaces. A word that is longer has a line of its own.
 *
 * @param maxLines Where there are more lines, there is one more than this.
 */
export const wrapSpans = (
  spans: readonly Span[],
  size: number,
  maxWidth: number,
  maxLines: number,
  ruler: Ruler,
): readonly (readonly Piece[])[] => {
  const lines: (readonly Piece[])[] = []
  let line: readonly Piece[] = []
  for (const [first, ...others] of splitWords(spans)) {
    const longer = join([...line, { ...first!, isSpaced: line.length > 0 }, ...others])
    if (line.length === 0 || widthOf(longer, size, ruler) <= maxWidth) line = longer
    else {
      lines.push(line)
      if (lines.length > maxLines) return lines
      line = [first!, ...others]
    }
  }
  return line.length === 0 ? lines : [...lines, line]
}

/** The style of a piece. */
export const styleOf = ({ isBold }: Span, size: number): TextStyle => ({ size, weight: isBold ? 'bold' : 'normal' })

/** The width of the space before a piece. */
export const spaceBefore = (piece: Piece, size: number, ruler: Ruler): number => {
  const style = styleOf(piece, size)
  return piece.isSpaced ? ruler.widthOf('n n', style) - ruler.widthOf('nn', style) : 0
}

const widthOf = (pieces: readonly Piece[], size: number, ruler: Ruler): number =>
  pieces.reduce(
    (width, piece) => width + spaceBefore(piece, size, ruler) + ruler.widthOf(piece.text, styleOf(piece, size)),
    0,
  )

/** The words of a line. One has several pieces where its style changes inside it. */
const splitWords = (spans: readonly Span[]): readonly (readonly Piece[])[] => {
  const words: Piece[][] = [[]]
  for (const span of spans)
    for (const [index, text] of span.text.split(/\s+/).entries()) {
      if (index > 0) words.push([])
      if (text !== '') words.at(-1)!.push({ ...span, text, isSpaced: false })
    }
  return words.filter((word) => word.length > 0)
}

/** Joins neighbours of the same style, so that each is shaped as a whole. */
const join = (pieces: readonly Piece[]): readonly Piece[] => {
  const joined: Piece[] = []
  for (const piece of pieces) {
    const last = joined.at(-1)
    const isSame = last !== undefined && last.isBold === piece.isBold && last.isLink === piece.isLink
    if (isSame) joined[joined.length - 1] = { ...last, text: `${last.text}${piece.isSpaced ? ' ' : ''}${piece.text}` }
    else joined.push(piece)
  }
  return joined
}
