import type { Json, JsonObject } from '../../wire/json.ts'
import { readTokens } from '../store/events/duckdb/query/sql-tokens.ts'
import { quoteString } from './quote.ts'

/** SQL with its values, or what is wrong with the value of a name. */
export type FilledSql =
  | { readonly sql: string }
  | {
      readonly name: string
      readonly problem: 'is missing' | 'is not a text, number, boolean, null or a list of these'
    }

/**
 * Writes values in the place of their names in braces (`{plan}`), each as one literal, so that no value can be read as SQL. Strings and
 * comments stay as they are, and so do structs: `{a: 1}` is no name.
 */
export const fillValues = (sql: string, values: JsonObject): FilledSql => {
  const tokens = [...readTokens(sql)]
  let filled = ''
  let rest = 0
  for (const [index, { text: name }] of tokens.entries()) {
    const [open, close] = [tokens[index - 1], tokens[index + 1]]
    if (open?.text !== '{' || close?.text !== '}' || !NAME.test(name)) continue
    if (!Object.hasOwn(values, name)) return { name, problem: 'is missing' }
    const literal = writeValue(values[name]!)
    if (literal === null) return { name, problem: 'is not a text, number, boolean, null or a list of these' }
    // The spaces keep it a token of its own: two texts without one would be one text with a quote in it.
    filled += `${sql.slice(rest, open.start)} ${literal} `
    rest = close.start + 1
  }
  return { sql: filled + sql.slice(rest) }
}

/** The first character tells a word from numbers and other signs. */
const NAME = /^[\p{L}_]/u

/** Null for a value that has no literal. */
const writeValue = (value: Json): string | null => {
  if (!Array.isArray(value)) return writeScalar(value)
  const items = value.map(writeScalar)
  return items.includes(null) ? null : `[${items.join(', ')}]`
}

const writeScalar = (value: Json): string | null => {
  if (typeof value === 'string') return quoteString(value)
  return value === null || typeof value !== 'object' ? String(value) : null
}
