/**
 * Parts of SQL in which words mean nothing (texts, names in quotes, comments), and the words of CASE. A part without an end goes to the end of
 * the SQL, so that the time of a search grows with the length of the SQL alone.
 */
const TOKENS =
  /\be'(?:[^'\\]|\\.|'')*(?:'|$)|'[^']*(?:'|$)|"[^"]*(?:"|$)|\$((?:[a-z_]\w*)?)\$.*?(?:\$\1\$|$)|--[^\n]*|\/\*.*?(?:\*\/|$)|\b(case|when|end)\b/gis

/** A CASE that is open. */
interface OpenCase {
  /** Comparisons in its value, which ends with the first WHEN. */
  valueSize: number
  /** Comparisons in the rest of it. */
  restSize: number
  whenCount: number
}

/**
 * The number of comparisons of all CASE as DuckDB parses them: it copies the value of `CASE value WHEN …` for each WHEN, so that one CASE
 * in the value of another multiplies them. Counted in the text, because the parser already has the copies.
 */
export const countComparisons = (sql: string): number => {
  const open: OpenCase[] = []
  let total = 0
  const add = (size: number): void => {
    const outer = open.at(-1)
    if (outer === undefined) total += size
    else if (outer.whenCount === 0) outer.valueSize += size
    else outer.restSize += size
  }
  for (const [, , word = ''] of sql.matchAll(TOKENS)) {
    switch (word.toLowerCase()) {
      case 'case':
        open.push({ valueSize: 1, restSize: 0, whenCount: 0 })
        break
      case 'when': {
        const innermost = open.at(-1)
        if (innermost !== undefined) innermost.whenCount += 1
        break
      }
      case 'end': {
        const ended = open.pop()
        if (ended !== undefined) add(ended.valueSize * ended.whenCount + ended.restSize)
      }
    }
  }
  return total
}
