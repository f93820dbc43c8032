/** A part of SQL that means something: no space and no comment. */
export interface Token {
  readonly text: string
  readonly start: number
}

/**
 * Spaces, comments, strings between dollar signs, strings, quoted names, words, and any other character. What is not closed ends with the SQL,
 * so that the time grows with the length of the SQL.
 */
const TOKEN =
  /\s+|--[^\n]*|#[! ][^\n]*|\/\*[^]*?(?:\*\/|$)|\$(\w*)\$[^]*?(?:\$\1\$|$)|'(?:[^'\\]|\\[^])*(?:'|\\?$)|"(?:[^"\\]|\\[^])*(?:"|\\?$)|`(?:[^`\\]|\\[^])*(?:`|\\?$)|[\p{L}\p{N}_$]+|[^]/gu

const IS_SPACE = /^(?:\s|--|#[! ]|\/\*)/

/** Reads the tokens of SQL one after the other, as far as it matters here as ClickHouse does. */
export const readTokens = function* (sql: string): Generator<Token, void, undefined> {
  for (const { 0: text, index: start } of sql.matchAll(TOKEN)) if (!IS_SPACE.test(text)) yield { text, start }
}
