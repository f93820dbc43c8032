const graphemes = new Intl.Segmenter(undefined, { granularity: 'grapheme' })

/** Scripts and symbols that take two columns of a terminal. */
const WIDE = /^[\p{sc=Han}\p{sc=Hangul}\p{sc=Hiragana}\p{sc=Katakana}\p{Emoji_Presentation}\u3000-\u303f\uff01-\uff60]/u

/** Columns that a string takes on a terminal. */
export const displayWidth = (text: string): number => {
  // Most cells are plain, and finding graphemes is slow.
  if (/^[\x20-\x7e]*$/.test(text)) return text.length
  let width = 0
  for (const { segment } of graphemes.segment(text)) width += WIDE.test(segment) ? 2 : 1
  return width
}
