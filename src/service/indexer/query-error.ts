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
  /** Somebody cancelled the query, or its client has left. */
  | 'cancelled'
  /** As many queries of the project wait as may wait. */
  | 'project_busy'
  /** As many queries of all projects wait as may wait, or this one waited too long. */
  | 'service_busy'
  /** Another query of the project has the id that the client chose. */
  | 'id_in_use'
  /** The result is no longer kept, because there are newer ones. */
  | 'result_removed'
  /** The store failed or is restarting; the same query may succeed later. */
  | 'store_unavailable'

/** Why a query has no result. The message is one sentence, or a few, for users. */
export class QueryError extends Error {
  readonly code: QueryErrorCode

  constructor(code: QueryErrorCode, detail: string, options: { cause?: unknown } = {}) {
    super(detail, options)
    this.name = 'QueryError'
    this.code = code
  }
}
