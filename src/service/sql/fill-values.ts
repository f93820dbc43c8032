import type { Json, JsonObject } from '../../wire/json.ts'
import type { SqlSyntax } from './sql-syntax.ts'

/** SQL with its values, or what is wrong with the value of a name. */
export type FilledSql =
  | { readonly sql: string }
  | {
      readonly name: string
      readonly problem: 'is missing' | 'is too long' | 'is not a string, number, boolean, null or a list of these'
    }

/**
 * Writes values in the place of their names in braces (`{plan}`), each as one literal, so that no value can be read as SQL. Strings and
 * comments stay as they are, and so do structs: `{a: 1}` is no name.
 *
 * @param maxLength Most characters of a value, and of the SQL: it ends behind the first value with which it is longer.
 */
export const fillValues = (
  sql: string,
  values: JsonObject,
  maxLength: number,
  { readTokens, quoteString }: SqlSyntax,
): FilledSql => {
  const tokens = [...readTokens(sql)]
  const literals = new Map<string, string | null>()
  let filled = ''
  let rest = 0
  for (const [index, { text: name }] of tokens.entries()) {
    const [open, close] = [tokens[index - 1], tokens[index + 1]]
    if (open?.text !== '{' || close?.text !== '}' || !NAME.test(name)) continue
    if (!Object.hasOwn(values, name)) return { name, problem: 'is missing' }
    const value = values[name]!
    if (!literals.has(name) && lengthOf(value) > maxLength) return { name, problem: 'is too long' }
    const literal = literals.get(name) ?? writeValue(value, quoteString)
    if (literal === null) return { name, problem: 'is not a string, number, boolean, null or a list of these' }
    literals.set(name, literal)
    // The spaces keep it a token of its own.
    filled += `${sql.slice(rest, open.start)} ${literal} `
    rest = close.start + 1
    if (filled.length > maxLength) return { sql: filled }
  }
  return { sql: filled + sql.slice(rest) }
}

/** The first character tells a word from numbers and other signs; a quote is in strings. */
const NAME = /^[\p{L}_][^']*$/u

const lengthOf = (value: Json): number => {
  if (Array.isArray(value)) return value.reduce<number>((sum, item) => sum + lengthOf(item), value.length)
  return typeof value === 'string' ? value.length : 1
}

/** Null for a value that has no literal. */
const writeValue = (value: Json, quoteString: SqlSyntax['quoteString']): string | null => {
  if (!Array.isArray(value)) {
    const literal = writeScalar(value, quoteString)
    // Without parentheses, a string would go on the string of the line before, and `::` would bind closer than a minus.
    return literal === null ? null : `(${literal})`
  }
  const items = value.map((item) => writeScalar(item, quoteString))
  return items.includes(null) ? null : `[${items.join(', ')}]`
}

const writeScalar = (value: Json, quoteString: SqlSyntax['quoteString']): string | null => {
  if (typeof value === 'string') return quoteString(value)
  // JSON has numbers beyond the range of a double.
  if (typeof value === 'number' && !Number.isFinite(value)) return null
  return value === null || typeof value !== 'object' ? String(value) : null
}
