/** Why a query failed. */
export type QueryErrorCode =
  /** The string is not valid SQL. */
  | 'syntax'
  /** The SQL is not exactly one SELECT. */
  | 'not_select'
  /** The query names a table or function that members may not read. */
  | 'forbidden'
  /** The query cannot be executed, for example an unknown column or a value that does not convert. */
  | 'invalid'
  | 'timeout'
  /** The query needs more memory, or returns more bytes, than a query may use. */
  | 'memory'
  /** The store failed or is restarting; the same query may succeed later. */
  | 'store_unavailable'

/** Thrown by `Indexer.query`. The message is one sentence for users. */
export class QueryError extends Error {
  readonly code: QueryErrorCode

  constructor(code: QueryErrorCode, detail: string, options: { cause?: unknown } = {}) {
    super(detail, options)
    this.name = 'QueryError'
    this.code = code
  }
}
