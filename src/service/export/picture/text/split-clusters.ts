const segmenter = new Intl.Segmenter('en', { granularity: 'grapheme' })

const ASCII = /^[\x20-\x7E]*$/

/** The characters as readers see them: a letter with its marks is one, and so is an emoji of several code points. */
export const splitClusters = (text: string): readonly string[] =>
  ASCII.test(text) ? text.split('') : Array.from(segmenter.segment(text), ({ segment }) => segment)
