/** SQL in which DuckDB replaces nothing before it parses it. */
export interface PlainSpaces {
  /** Each replaced character is one space, so all characters keep their places. */
  readonly sql: string
  /** The places of the replaced characters, in code units from the start. */
  readonly places: readonly number[]
}

/** The characters that DuckDB replaces by a space before it parses SQL, if it takes them for a part of no string. */
const SPACE = /[\u00a0\u2000-\u200b\u202f\u205f\u2060\u3000\ufeff]/

/** What DuckDB looks at: such a space, and what begins a string, a quoted name or a comment. Names behind `$` begin nothing. */
const MARK = new RegExp(
  [SPACE.source, `['"]`, '--', String.raw`\$([A-Za-z_\u0080-\uffff][A-Za-z\d_\u0080-\uffff]*)?(\$)?`].join('|'),
  'g',
)

const LINE_END = /[\n\r]/g

/**
 * Replaces the spaces that DuckDB replaces, exactly as it does it: the places in its syntax tree (`query_location`) are bytes of that
 * text. It knows less than its own parser, neither comments between slashes nor backslashes in `E'…'`, so that it may replace a
 * character of a string (`findReplacedInString`).
 */
export const replaceUnicodeSpaces = (sql: string): PlainSpaces => {
  if (!SPACE.test(sql)) return { sql, places: [] }
  const places: number[] = []
  const parts: string[] = []
  let end = 0
  MARK.lastIndex = 0
  for (let mark = MARK.exec(sql); mark !== null; mark = MARK.exec(sql)) {
    const [text, tag = '', dollar] = mark
    if (text === "'" || text === '"') MARK.lastIndex = endAfter(sql, text, MARK.lastIndex)
    else if (text === '--') MARK.lastIndex = endOfLine(sql, MARK.lastIndex)
    else if (!text.startsWith('$')) {
      // DuckDB misses one of two bytes at the end.
      if (text === '\u00a0' && MARK.lastIndex === sql.length) break
      places.push(mark.index)
      parts.push(sql.slice(end, mark.index))
      end = MARK.lastIndex
    } else if (dollar !== undefined)
      // The last dollar sign of each quote may also begin the next one.
      MARK.lastIndex = Math.max(0, endAfter(sql, `$${tag}$`, MARK.lastIndex - 1) - 1)
    if (MARK.lastIndex >= sql.length) break
  }
  return places.length === 0 ? { sql, places } : { sql: [...parts, sql.slice(end)].join(' '), places }
}

/** Whether places in the syntax tree of DuckDB are of another text: nothing may then be rewritten by them. */
export const hasUnicodeSpaces = (sql: string): boolean => replaceUnicodeSpaces(sql).places.length > 0

const endAfter = (sql: string, quote: string, start: number): number => {
  const found = sql.indexOf(quote, start)
  return found === -1 ? sql.length + 1 : found + quote.length
}

const endOfLine = (sql: string, start: number): number => {
  LINE_END.lastIndex = start
  return LINE_END.exec(sql)?.index ?? sql.length
}
