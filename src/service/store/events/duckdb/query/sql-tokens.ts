/** A part of SQL that means something: no space and no comment. */
export interface Token {
  readonly text: string
  readonly start: number
  /** Number of open brackets around it. */
  readonly depth: number
}

/** Letters of a name: as in DuckDB, all beyond ASCII. The spaces among them are replaced before (`replaceUnicodeSpaces`). */
const LETTER = String.raw`A-Za-z_\u0080-\u{10ffff}`

/** What continues a string in the next line: the end of its line, any number of lines without SQL, and a quote. */
const CONTINUATION = String.raw`(?:[ \t\f\v]|--[^\n\r]*(?=[\n\r]))*[\n\r](?:[ \t\n\r\f\v]|--[^\n\r]*(?=[\n\r]))*'`

/**
 * A comment until the end of its line, a string, a quoted name, a number, a parameter, a word, or any other character. What is not closed ends
 * with the SQL. A number ends before letters, as in DuckDB: `1END` is two tokens. Where `E'…'` goes on in the next line, backslashes escape
 * there too.
 */
const TOKEN = new RegExp(
  [
    String.raw`--[^\n\r]*`,
    String.raw`[eE]'(?:[^'\\]|\\[^]|''|'${CONTINUATION})*(?:'|\\?$)`,
    `'(?:[^']|'')*(?:'|$)`,
    `"(?:[^"]|"")*(?:"|$)`,
    String.raw`0[xX][\da-fA-F]+(?:_[\da-fA-F]+)*`,
    String.raw`\d+(?:_\d+)*(?:\.(?!\.)(?:\d+(?:_\d+)*)?)?(?:[eE][+-]?\d+)?`,
    String.raw`\$\d+`,
    String.raw`[${LETTER}][${LETTER}\d$]*`,
    '[^]',
  ].join('|'),
  'uy',
)

/** What begins a string between dollar signs: `$$`, `$name$`. */
const DOLLAR_QUOTE = new RegExp(String.raw`\$(?:[${LETTER}][${LETTER}\d]*)?\$`, 'uy')

const COMMENT_EDGE = /\/\*|\*\//g

/** Reads the tokens of SQL one after the other as DuckDB does, in a time that grows with the length of the SQL. */
export const readTokens = function* (sql: string): Generator<Token, void, undefined> {
  let depth = 0
  for (let start = 0; start < sql.length;) {
    const end = endOfToken(sql, start)
    const text = sql.slice(start, end)
    const isToken = !text.startsWith('--') && !text.startsWith('/*') && text.trim() !== ''
    if (/^[)\]}]$/.test(text)) depth -= 1
    if (isToken) yield { text, start, depth }
    if (/^[([{]$/.test(text)) depth += 1
    start = end
  }
}

const endOfToken = (sql: string, start: number): number => {
  if (sql.startsWith('/*', start)) return endOfComment(sql, start)
  const quote = sql[start] === '$' ? matchAt(DOLLAR_QUOTE, sql, start) : ''
  if (quote === '') return start + matchAt(TOKEN, sql, start).length
  const end = sql.indexOf(quote, start + quote.length)
  return end === -1 ? sql.length : end + quote.length
}

/** Comments may contain comments. */
const endOfComment = (sql: string, start: number): number => {
  let depth = 0
  COMMENT_EDGE.lastIndex = start
  for (let edge = COMMENT_EDGE.exec(sql); edge !== null; edge = COMMENT_EDGE.exec(sql)) {
    depth += edge[0] === '/*' ? 1 : -1
    if (depth === 0) return COMMENT_EDGE.lastIndex
  }
  return sql.length
}

const matchAt = (pattern: RegExp, text: string, start: number): string => {
  pattern.lastIndex = start
  return pattern.exec(text)?.[0] ?? ''
}
