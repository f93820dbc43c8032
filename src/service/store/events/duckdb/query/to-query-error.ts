import type { QueryErrorCode } from '../../../../indexer/query-error.ts'
import { QueryError } from '../../../../indexer/query-error.ts'
import { writeJsonPointer } from '../../../../sql/json-pointer.ts'
import { quoteString } from '../../../../sql/quote.ts'
import { explainUnknownColumn } from '../../explain-unknown-column.ts'
import { BOUND_ERROR } from './bound-values.ts'
import { findErrorPosition, writePlace } from './sql-position.ts'

/** Converts an error of DuckDB, whose messages begin with the kind of the error, and say at which line and column of the SQL. */
export const toQueryError = (error: unknown, sql: string): QueryError => {
  if (error instanceof QueryError) return error
  const message = (error instanceof Error ? error.message : String(error)).replace('Failed to extract statements: ', '')
  const kind = /^([A-Za-z -]+?) Error: /.exec(message)?.[1] ?? ''
  const code = message.includes(BOUND_ERROR) ? 'memory' : SQL_ERRORS.get(kind)
  if (code !== undefined) {
    const text = withHint(withPosition(message.replace(/^.*(?=A value would be too large: )/s, ''), sql), sql)
    return new QueryError(code, text, { cause: error })
  }
  switch (kind) {
    case 'Permission':
      return new QueryError('forbidden', 'A query may read nothing outside its project.', { cause: error })
    case 'Out of Memory':
      return new QueryError('memory', 'The query needs more memory than a query may have.', { cause: error })
    case 'INTERRUPT':
      return new QueryError('store_unavailable', 'The query was interrupted because the store is closing.', {
        cause: error,
      })
    default:
      // The message may contain file paths, so it is not shown.
      return new QueryError('store_unavailable', 'The event store could not run the query.', { cause: error })
  }
}

/** The kinds of errors that are mistakes in the SQL. */
const SQL_ERRORS: ReadonlyMap<string, QueryErrorCode> = new Map([
  ['Parser', 'syntax'],
  ['Binder', 'invalid'],
  ['Catalog', 'invalid'],
  ['Conversion', 'invalid'],
  ['Invalid Input', 'invalid'],
  ['Out of Range', 'invalid'],
  ['Mismatch Type', 'invalid'],
  ['Not implemented', 'invalid'],
  ['Serialization', 'invalid'],
])

/** Puts line and column before what DuckDB shows of the line. */
const withPosition = (message: string, sql: string): string => {
  const position = findErrorPosition(message, sql)
  if (position === null) return message
  return message.replace(/\n+LINE \d+: /, (shown) => `${writePlace(position)}${shown}`)
}

/** The messages about a column that does not exist. */
const UNKNOWN_COLUMN =
  /^Binder Error: (?:Referenced column "(.+?)" (?:was )?not found|[^\n]*? does not have a column named "([^"]+)")/

/** The key of a property as a path; a JSON Pointer may contain any character. */
const readProperty = (name: string): string =>
  `properties->>${quoteString(/^[^"/]+$/.test(name) ? name : writeJsonPointer([name]))}`

/** What to write instead, for mistakes that DuckDB's messages do not explain. */
const withHint = (message: string, sql: string): string => {
  const unknown = UNKNOWN_COLUMN.exec(message)
  if (unknown !== null)
    return `${message}\n${explainUnknownColumn((unknown[1] ?? unknown[2])!, sql, { quoteString, readProperty })}`
  // `repairPaths` cannot repair a path that is computed.
  if (message.includes('JSON path error')) return `${message} Write the property $name as '$."$name"'.`
  if (/Failed to cast value to numerical.*source column properties/s.test(message))
    return `${message}\nPut ->> in parentheses beside AND and =: (properties->>'plan') = 'pro'.`
  return message
}
