/** Longest text of a picture: no label has room for more. */
const MAX_LENGTH = 1000

/** All but the first eight marks on a letter: more only cover its neighbours. */
const MANY_MARKS = /(\p{M}{8})\p{M}+/gu

const BLANKS = /[\s\p{Cc}]+/gu

/**
 * Characters that show nothing: direction controls, which could turn the text around it, tags, variation selectors. The two joiners
 * stay, because they change the letters beside them.
 */
const INVISIBLE = /(?![\u200C\u200D])[\p{Default_Ignorable_Code_Point}\p{Bidi_Control}\uFFF9-\uFFFB]/gu

/** Lone surrogates, and code points that are no characters. */
const NOT_TEXT = /\p{Surrogate}|\p{Noncharacter_Code_Point}/gu

/** Any string as one line that can be drawn: control characters become blanks, broken characters the replacement character. */
export const cleanText = (input: string): string =>
  input
    .slice(0, MAX_LENGTH)
    .replace(BLANKS, ' ')
    .replace(NOT_TEXT, '\uFFFD')
    .replace(INVISIBLE, '')
    .normalize('NFC')
    .replace(MANY_MARKS, '$1')
    .trim()
