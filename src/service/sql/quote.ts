import { toWellFormed } from '../store/events/to-well-formed-json.ts'

/**
 * Writes a string as an SQL string. Any string is safe: quotes are doubled, and a NUL, which would end the statement, becomes
 * a function call. Lone surrogates become U+FFFD, as in stored events.
 */
export const quoteString = (string: string): string => {
  const parts = toWellFormed(string).split('\0').map(quotePart)
  return parts.length === 1 ? parts[0]! : `(${parts.join(' || chr(0) || ')})`
}

const quotePart = (part: string): string => `'${part.replaceAll("'", "''")}'`

/** Writes a name as an SQL identifier. */
export const quoteIdentifier = (name: string): string => `"${name.replaceAll('"', '""')}"`
