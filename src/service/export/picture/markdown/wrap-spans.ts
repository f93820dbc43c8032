import { cleanText } from '../text/clean-text.ts'
import type { Levels } from '../text/read-levels.ts'
import { readLevels } from '../text/read-levels.ts'
import type { Ruler, TextStyle } from '../text/ruler.ts'
import type { Span, SpanStyle } from './parse-spans.ts'

/** A part of a line of a picture, without spaces at its ends: texts are drawn without these. */
export interface Piece extends Span {
  /** Whether a space is before it. */
  readonly isSpaced: boolean
}

/** A line of a paragraph, in the order of reading, with the levels that its characters have in the paragraph. */
export interface StyledLine extends Levels {
  readonly pieces: readonly Piece[]
}

/**
 * Splits a paragraph into lines of a width, at spaces. A word that is longer has a line of its own. A paragraph without words is an empty line.
 *
 * @param maxLines Where there are more lines, there is one more than this.
 */
export const wrapSpans = (
  spans: readonly Span[],
  size: number,
  maxWidth: number,
  maxLines: number,
  ruler: Ruler,
): readonly StyledLine[] => {
  const lines: (readonly Piece[])[] = []
  let line: readonly Piece[] = []
  for (const [first, ...others] of splitWords(spans)) {
    const longer = join([...line, { ...first!, isSpaced: line.length > 0 }, ...others])
    if (line.length === 0 || widthOf(longer, size, ruler) <= maxWidth) line = longer
    else {
      lines.push(line)
      if (lines.length > maxLines) return addLevels(lines)
      line = [first!, ...others]
    }
  }
  return addLevels([...lines, line])
}

/** The style of a piece. */
export const styleOf = ({ isBold }: SpanStyle, size: number): TextStyle => ({
  size,
  weight: isBold ? 'bold' : 'normal',
})

/** The width of a space. */
export const widthOfSpace = (span: SpanStyle, size: number, ruler: Ruler): number => {
  const style = styleOf(span, size)
  return ruler.widthOf('n n', style) - ruler.widthOf('nn', style)
}

/** The width of pieces beside each other. */
export const widthOf = (pieces: readonly Piece[], size: number, ruler: Ruler): number =>
  pieces.reduce(
    (width, piece) =>
      width + (piece.isSpaced ? widthOfSpace(piece, size, ruler) : 0) + ruler.widthOf(piece.text, styleOf(piece, size)),
    0,
  )

/** The words of a line, of characters that can be drawn. One has several pieces where its style changes inside it. */
const splitWords = (spans: readonly Span[]): readonly (readonly Piece[])[] => {
  const words: Piece[][] = [[]]
  for (const span of spans)
    for (const [index, word] of span.text.split(/\s+/).entries()) {
      if (index > 0) words.push([])
      const text = cleanText(word)
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
    if (isSame) joined[joined.length - 1] = { ...last, text: `${last.text}${toText([piece])}` }
    else joined.push(piece)
  }
  return joined
}

const toText = (pieces: readonly Piece[]): string =>
  pieces.map(({ text, isSpaced }) => (isSpaced ? ` ${text}` : text)).join('')

const addLevels = (lines: readonly (readonly Piece[])[]): readonly StyledLine[] => {
  const texts = lines.map(toText)
  const { base, levels } = readLevels(texts.join(' '))
  let start = 0
  return lines.map((pieces, index) => {
    const end = start + texts[index]!.length
    const line = { pieces, base, levels: levels.subarray(start, end) }
    start = end + 1
    return line
  })
}
