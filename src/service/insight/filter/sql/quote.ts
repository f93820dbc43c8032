/**
 * Writes a string as an SQL string. Any string is safe: quotes are doubled, and a NUL, which would end the statement, becomes
 * a function call. Lone surrogates become U+FFFD, as in stored events.
 */
export const quoteString = (string: string): string => {
  const parts = string
    .replace(/\p{Surrogate}/gu, '\uFFFD')
    .split('\0')
    .map(quotePart)
  return parts.length === 1 ? parts[0]! : `(${parts.join(' || chr(0) || ')})`
}

const quotePart = (part: string): string => `'${part.replaceAll("'", "''")}'`

/**
 * Evaluates an expression once, and `body` with its value as `name`. DuckDB has no other way to name an intermediate result, and
 * reads a property again at each place where it is written, which costs more than all else.
 */
export const bind = (expression: string, name: string, body: string): string =>
  `(list_transform([${expression}], lambda ${name}: ${body})[1])`

/** Writes a number, also an infinite one, so that SQL reads exactly the same double. */
export const quoteNumber = (number: number): string => `'${number}'::DOUBLE`
