import { quoteString } from '../../../../sql/quote.ts'

/** A PIVOT statement whose columns depend on the data. DuckDB runs it as several statements, of which one creates a type. */
export interface OpenPivot {
  /** For each expression whose values are not named: a SELECT of up to `maxValues` + 1 of them, in order. */
  readonly valueSelects: readonly string[]
  /** The one statement that it means, with the values of each SELECT. */
  readonly expand: (values: readonly (readonly string[])[]) => string
}

/** Reads a statement such as `PIVOT events ON event USING count(*)`; null for any other. What it returns is checked like any SQL. */
export const parseOpenPivot = (sql: string, maxValues: number): OpenPivot | null => {
  const reader = readTokens(sql)
  const first = reader.next().value
  if (first === undefined || !/^PIVOT(?:_WIDER)?$/i.test(first.text)) return null
  const tokens = [...reader]
  const isTop = (token: Token, pattern: RegExp): boolean => token.depth === 0 && pattern.test(token.text)
  // Joins in its source have ON before it.
  const on = tokens.findLast((token) => isTop(token, /^ON$/i))
  if (on === undefined) return null
  const after = tokens.filter(({ start }) => start > on.start)
  const listEnd = after.find((token) => isTop(token, /^(?:USING|GROUP|ORDER|LIMIT|;)$/i))?.start ?? sql.length
  const source = sql.slice(first.start + first.text.length, on.start).trim()
  const inList = after.filter(({ start }) => start < listEnd)
  const bounds = [on.start + 2, ...inList.filter((token) => isTop(token, /^,$/)).map(({ start }) => start), listEnd]
  const items = bounds.slice(1).map((end, index) => {
    const start = bounds[index]! + (index === 0 ? 0 : 1)
    const isNamed = inList.some((token) => token.start >= start && token.start < end && isTop(token, /^IN$/i))
    return { text: sql.slice(start, end).trim(), isNamed }
  })
  const openItems = items.filter(({ isNamed }) => !isNamed)
  if (openItems.length === 0) return null
  return {
    valueSelects: openItems.map(
      ({ text }) =>
        `SELECT DISTINCT (${text})::VARCHAR AS value FROM ${source} WHERE (${text}) IS NOT NULL ORDER BY 1 LIMIT ${maxValues + 1}`,
    ),
    expand(values) {
      const list = items.map((item) => {
        const itemValues = values[openItems.indexOf(item)]
        return itemValues === undefined ? item.text : `${item.text} IN (${itemValues.map(quoteString).join(', ')})`
      })
      return `PIVOT ${source} ON ${list.join(', ')} ${sql.slice(listEnd)}`
    },
  }
}

interface Token {
  readonly text: string
  readonly start: number
  /** Number of open brackets around it. */
  readonly depth: number
}

/** A comment until the end of its line, a string, a quoted name, a word, or any other character. What is not closed ends with the SQL. */
const TOKEN =
  /--[^\n]*|[eE]'(?:[^'\\]|\\[^]|'')*(?:'|\\?$)|'(?:[^']|'')*(?:'|$)|"(?:[^"]|"")*(?:"|$)|[\w\p{L}][\w$\p{L}]*|[^]/uy

/** What begins a string between dollar signs: `$$`, `$name$`. */
const DOLLAR_QUOTE = /\$(?:[\p{L}_][\w\p{L}]*)?\$/uy

const COMMENT_EDGE = /\/\*|\*\//g

/** Reads the tokens one after the other, in a time that grows with the length of the SQL. */
const readTokens = function* (sql: string): Generator<Token, void, undefined> {
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
