import { quoteString } from '../../../../sql/quote.ts'
import type { Token } from './sql-tokens.ts'
import { readTokens } from './sql-tokens.ts'

/** A PIVOT statement whose columns depend on the data. DuckDB runs it as several statements, of which one creates a type. */
export interface OpenPivot {
  /** For each expression whose values are not named: a SELECT of up to `maxValues` + 1 of them, in order. */
  readonly valueSelects: readonly string[]
  /** The one statement that it means, with the values of each SELECT. */
  readonly expand: (values: readonly (readonly string[])[]) => string
}

/**
 * Reads a statement such as `PIVOT events ON event USING count(*)`, which may have a `WITH` before it; null for any other. What it returns is
 * checked like any SQL.
 */
export const parseOpenPivot = (sql: string, maxValues: number): OpenPivot | null => {
  const reader = readTokens(sql)
  const first = reader.next().value
  if (first === undefined || !/^(?:WITH|PIVOT|PIVOT_WIDER)$/i.test(first.text)) return null
  const all = [first, ...reader]
  const isTop = (token: Token, pattern: RegExp): boolean => token.depth === 0 && pattern.test(token.text)
  // Behind another verb, PIVOT is a part of its statement.
  const pivot = all.find((token) => isTop(token, /^(?:PIVOT|PIVOT_WIDER|SELECT|FROM|VALUES|TABLE)$/i))
  if (pivot === undefined || !/^PIVOT/i.test(pivot.text)) return null
  const tokens = all.filter(({ start }) => start > pivot.start)
  // Joins in its source have ON before it.
  const on = tokens.findLast((token) => isTop(token, /^ON$/i))
  if (on === undefined) return null
  const after = tokens.filter(({ start }) => start > on.start)
  const listEnd = after.find((token) => isTop(token, /^(?:USING|GROUP|ORDER|LIMIT|;)$/i))?.start ?? sql.length
  const items: Token[][] = [[]]
  for (const token of after) {
    if (token.start >= listEnd) break
    if (isTop(token, /^,$/)) items.push([])
    else items.at(-1)!.push(token)
  }
  const openItems = items.flatMap((item) => {
    const [head, tail] = [item[0], item.at(-1)]
    if (head === undefined || tail === undefined || item.some((token) => isTop(token, /^IN$/i))) return []
    // Without a comment behind it, which would hide what follows.
    const end = tail.start + tail.text.length
    return [{ text: sql.slice(head.start, end), end }]
  })
  if (openItems.length === 0) return null
  const before = sql.slice(0, pivot.start)
  const source = sql.slice(pivot.start + pivot.text.length, on.start)
  return {
    valueSelects: openItems.map(
      ({ text }) =>
        `${before}SELECT DISTINCT (${text})::VARCHAR AS value FROM ${source}\nWHERE (${text}) IS NOT NULL ORDER BY 1 LIMIT ${maxValues + 1}`,
    ),
    expand(values) {
      const parts = openItems.map(
        ({ end }, index) =>
          `${sql.slice(openItems[index - 1]?.end ?? 0, end)} IN (${values[index]!.map(quoteString).join(', ')})`,
      )
      return [...parts, sql.slice(openItems.at(-1)!.end)].join('')
    },
  }
}

/**
 * The byte of a PIVOT, as it is written, that stands at a byte of the statement with its values. Null if this stands between the values
 * of two expressions.
 */
export const findWrittenOffset = (written: string, expanded: string, offset: number): number | null => {
  const bytes = Buffer.from(expanded)
  if (written.startsWith(bytes.subarray(0, offset).toString())) return offset
  const rest = bytes.subarray(offset)
  return written.endsWith(rest.toString()) ? Buffer.byteLength(written) - rest.length : null
}
