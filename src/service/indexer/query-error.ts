/** Why a query has no answer. */
export type QueryErrorCode =
  /** The text is not SQL. */
  | 'syntax'
  /** It is SQL, but not exactly one SELECT. */
  | 'not_select'
  /** It names a table or function that members may not read. */
  | 'forbidden'
  /** It cannot be carried out: an unknown column, a value that does not convert. */
  | 'invalid'
  | 'timeout'
  /** It needs more memory or gives more bytes than a query may have. */
  | 'memory'
  /** The store is not working or is being restarted; the same query may succeed later. */
  | 'store_unavailable'

/** Thrown by `Indexer.query`. The message is one sentence for people. */
export class QueryError extends Error {
  readonly code: QueryErrorCode

  constructor(code: QueryErrorCode, detail: string, options: { cause?: unknown } = {}) {
    super(detail, options)
    this.name = 'QueryError'
    this.code = code
  }
}
