import type { QueryErrorCode } from '../../../indexer/query-error.ts'
import { QueryError } from '../../../indexer/query-error.ts'
import { quoteString } from '../../../sql/quote-clickhouse.ts'
import { explainUnknownColumn } from '../explain-unknown-column.ts'
import { isServerError, toSentence } from './server-error.ts'

/** By ClickHouse's numbers of errors; others are `invalid`. */
const CODES: Readonly<Record<string, QueryErrorCode>> = {
  '62': 'syntax',
  // READONLY: a statement or a setting that changes something.
  '164': 'forbidden',
  '497': 'forbidden',
  '159': 'timeout',
  '394': 'cancelled',
  '241': 'memory',
  '307': 'memory',
  '396': 'memory',
  // Too many queries, parts or connections, and what a server says that is starting or stopping.
  '202': 'store_unavailable',
  '209': 'store_unavailable',
  '210': 'store_unavailable',
  '236': 'store_unavailable',
  '279': 'store_unavailable',
  '516': 'store_unavailable',
}

/** ClickHouse's number of the errors about a column that does not exist. */
const UNKNOWN_COLUMN_CODE = '47'

/** The name of that column, in the words of several versions: `plan`, or `e.plan`. */
const UNKNOWN_COLUMN = /(?:identifier|Missing columns:) [`'](?:[^`'.]+\.)*([^`'.]+)[`']/i

const readProperty = (name: string): string => `JSONExtractString(properties, ${quoteString(name)})`

/** The server's message, and what to write in the place of a column that does not exist. */
const writeMessage = ({ code, message }: { readonly code: string; readonly message: string }, sql: string): string => {
  const sentence = toSentence(message)
  const name = code === UNKNOWN_COLUMN_CODE ? UNKNOWN_COLUMN.exec(message)?.[1] : undefined
  return name === undefined ? sentence : `${sentence} ${explainUnknownColumn(name, sql, { quoteString, readProperty })}`
}

/** Makes an error for users of what the client or a server has thrown for a SELECT. */
export const toQueryError = (error: unknown, sql: string): QueryError => {
  if (error instanceof QueryError) return error
  if (!isServerError(error))
    return new QueryError('store_unavailable', 'ClickHouse does not answer. Try the query again later.', {
      cause: error,
    })
  const { code } = error
  if (code === '62' && /Multi-statements/.test(error.message))
    return new QueryError('not_select', 'The query must be one SELECT.', { cause: error })
  return new QueryError(CODES[code] ?? 'invalid', writeMessage(error, sql), { cause: error })
}
