import { readTokens } from './sql-tokens.ts'

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
  let previous = ''
  for (const { text } of readTokens(sql)) {
    // Behind these stands a name, also if it is a word of CASE: `x.end`, `1 AS end`.
    const isName = /^(?:\.|\$|as)$/i.test(previous)
    previous = text
    switch (isName ? '' : text.toLowerCase()) {
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
