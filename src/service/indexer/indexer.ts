/**
 * The indexer as the front sees it: a child process that stores inbox rows as events and runs queries. When it dies, it is
 * restarted and continues at its position.
 */
export interface Indexer {
  /** Notifies the indexer of new inbox rows. Cheap; call it after every commit. */
  wake(): void
  /**
   * Runs one SELECT of at most 64 KiB on the store of one project. Settles when the query has ended in the store, so that running
   * queries can be counted. Rejects with `QueryError`.
   */
  query(request: QueryRequest, control?: QueryControl): Promise<QueryResult>
  status(): IndexerStatus
  /** Interrupts running queries, waits for the running transaction, then ends the process. */
  stop(): Promise<void>
}

/** Maximum size of the SQL (64 KiB): planning time grows faster than the SQL, and planning cannot be interrupted. */
export const MAX_SQL_BYTES: number = 64 * 1024

export interface QueryRequest {
  readonly projectId: number
  /** At most `MAX_SQL_BYTES`. */
  readonly sql: string
  /** Milliseconds until the query is interrupted; a query that cannot be interrupted is ended with its process. */
  readonly timeoutMs: number
  /** Maximum number of rows in the result; `hasMore` says whether there were more. */
  readonly maxRows: number
}

/** How to follow and end a running query. */
export interface QueryControl {
  /** Interrupts the query when it is aborted; the query then rejects with `cancelled`. */
  readonly signal?: AbortSignal
  /** Called from time to time with how far the query is. */
  readonly onProgress?: (progress: QueryProgress) => void
}

/** How far a query is, as far as the store can tell. */
export interface QueryProgress {
  readonly rowsRead: number
  /** Rows that the query reads in all. An estimate, which may grow. */
  readonly estimatedRows: number
}

export interface QueryResult {
  readonly columns: readonly string[]
  /** The store's type name of each column. */
  readonly types: readonly string[]
  /** JSON-safe values: big integers as numbers where exact, else as strings; timestamps as ISO 8601 in UTC. */
  readonly rows: readonly (readonly unknown[])[]
  readonly hasMore: boolean
}

export interface IndexerStatus {
  /** False while the process restarts, and while it runs but has not answered a ping for 3 seconds. */
  readonly alive: boolean
  /** True while an idle process is replaced to give back its memory (`IdleReplacement`): for a second or two. */
  readonly isBeingReplaced: boolean
  /** Every inbox row up to this id is in the event store, so the front may delete it. */
  readonly position: number
  /** Why events cannot be stored, or null. */
  readonly failure: string | null
  /** Inbox rows that were rejected, wholly or in part, since the service started. The log has the reason of each. */
  readonly rejected: number
}
