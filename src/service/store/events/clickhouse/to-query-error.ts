import type { QueryErrorCode } from '../../../indexer/query-error.ts'
import { QueryError } from '../../../indexer/query-error.ts'
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

/** Makes an error for users of what the client or a server has thrown. */
export const toQueryError = (error: unknown): QueryError => {
  if (error instanceof QueryError) return error
  if (!isServerError(error))
    return new QueryError('store_unavailable', 'ClickHouse does not answer. Try the query again later.', {
      cause: error,
    })
  const { code } = error
  if (code === '62' && /Multi-statements/.test(error.message))
    return new QueryError('not_select', 'The query must be one SELECT.', { cause: error })
  return new QueryError(CODES[code] ?? 'invalid', toSentence(error.message), { cause: error })
}
