/** Longest text of a picture: no label has room for more. */
const MAX_LENGTH = 1000

/** Most code points that are drawn as one character: more marks on a letter only cover its neighbours. */
const MAX_CLUSTER = 8

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
    .replace(/\p{M}+/gu, (marks) => [...marks].slice(0, MAX_CLUSTER).join(''))
    .trim()
