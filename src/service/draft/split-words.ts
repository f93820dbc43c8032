/** A word, a number, an operator, or what stands in quotation marks. */
export interface Word {
  /** As it is written, without quotation marks. */
  readonly text: string
  readonly isQuoted: boolean
}

const WORD =
  /"([^"]*)"|“([^”]*)”|(?<![\p{L}\p{N}])'([^']*)'(?![\p{L}\p{N}])|(>=|<=|!=|<>|==|[=<>,?!;:])|([^\s"“”,?!;<>=]+)/gu

/** Splits a question into words. Punctuation between them, and at the end, is left out, but commas are kept. */
export const splitWords = (question: string): readonly Word[] =>
  [...question.matchAll(WORD)].flatMap(([, double, curly, single, sign, plain]): Word[] => {
    const quoted = double ?? curly ?? single
    if (quoted !== undefined) return [{ text: quoted, isQuoted: true }]
    const text = sign ?? plain!.replace(/[.:]+$/, '')
    return text === '' || /^[?!;:]$/.test(text) ? [] : [{ text, isQuoted: false }]
  })

/** What an expression for plain words sees of a quoted word. */
const QUOTED = '\u0001'

/**
 * The number of words at the start that an expression matches, and what it captured. The words are in lower case with one space
 * between them; quoted ones never match. Null if it does not match whole words.
 */
export const matchWords = (
  words: readonly Word[],
  pattern: RegExp,
): { readonly count: number; readonly groups: readonly (string | undefined)[] } | null => {
  const text = words.map((word) => (word.isQuoted ? QUOTED : word.text.toLowerCase())).join(' ')
  const match = new RegExp(`^(?:${pattern.source})(?= |$)`).exec(text)
  if (match === null || match[0] === '') return null
  return { count: match[0].trim().split(' ').length, groups: match.slice(1) }
}

/** Words as a question has them, for messages. */
export const writeWords = (words: readonly Word[]): string =>
  words.map(({ text, isQuoted }) => (isQuoted ? `"${text}"` : text)).join(' ')

/** Words in quotation marks, for messages, without those of their own. */
export const quoteWords = (words: readonly Word[]): string => `"${words.map(({ text }) => text).join(' ')}"`
