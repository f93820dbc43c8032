import { QueryError } from '../../../../indexer/query-error.ts'
import { replaceUnicodeSpaces } from './replace-unicode-spaces.ts'
import { writePlace } from './sql-position.ts'
import { readTokens } from './sql-tokens.ts'

/**
 * The SQL as DuckDB parses it, in which bytes can be counted: it ends SQL at a NUL, and it replaces spaces beyond ASCII. Throws `QueryError`
 * for a NUL, and where DuckDB would change a string or a quoted name.
 */
export const toPlainSql = (sql: string): string => {
  const nul = sql.indexOf('\0')
  if (nul !== -1)
    throw new QueryError('invalid', `The query has the character U+0000${placeAt(sql, nul)}. Write chr(0).`)
  const plain = replaceUnicodeSpaces(sql)
  const changed = plain.places.length === 0 ? undefined : findChanged(plain.sql, plain.places)
  if (changed === undefined) return plain.sql
  const code = sql.charCodeAt(changed)
  const name = code.toString(16).toUpperCase().padStart(4, '0')
  throw new QueryError(
    'invalid',
    `A string or a quoted name has the character U+${name}${placeAt(sql, changed)}, which DuckDB would replace here. Write chr(${code}), or leave out the E or the comment before it.`,
  )
}

/** The first place inside of a string or a quoted name: all other tokens with such a character are that character alone. */
const findChanged = (sql: string, places: readonly number[]): number | undefined => {
  let next = 0
  for (const { text, start } of readTokens(sql)) {
    while (next < places.length && places[next]! < start) next += 1
    const place = places[next]
    if (place === undefined || place < start + text.length) return place
  }
  return undefined
}

const placeAt = (sql: string, index: number): string => {
  const lines = sql.slice(0, index).split('\n')
  return writePlace({ line: lines.length, column: Array.from(lines.at(-1)!).length + 1 })
}
