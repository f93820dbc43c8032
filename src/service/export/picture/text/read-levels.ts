import createBidi from 'bidi-js'

const bidi = createBidi()

/** Whether a text may have parts from right to left; the characters below all are from left to right or neutral. */
const MAY_TURN = /[\u0590-\u{10FFFF}]/u

/** The levels of a paragraph by the Unicode Bidirectional Algorithm: odd from right to left. */
export interface Levels {
  /** Of the paragraph, by its first letter that has a direction. */
  readonly base: number
  /** Of each code unit. */
  readonly levels: Uint8Array
}

/** Finds the levels of a whole paragraph: those of one of its lines alone may be others. */
export const readLevels = (paragraph: string): Levels => {
  if (!MAY_TURN.test(paragraph)) return { base: 0, levels: new Uint8Array(paragraph.length) }
  const { levels, paragraphs } = bidi.getEmbeddingLevels(paragraph, 'auto')
  return { base: paragraphs[0]?.level ?? 0, levels }
}
