/**
 * The indexer as the front sees it: a child process that turns inbox rows into stored events and answers queries. It may
 * die at any moment; it is started again and goes on at its position.
 */
export interface Indexer {
  /** Says that there are new inbox rows. Cheap; call it after every commit. */
  wake(): void
  /** Runs one SELECT of at most 64 KiB on one project's store. Rejects with `QueryError`. */
  query(request: QueryRequest): Promise<QueryResult>
  status(): IndexerStatus
  /** Interrupts running queries, lets the running transaction end, then ends the process. */
  stop(): Promise<void>
}

export interface QueryRequest {
  readonly projectId: number
  readonly sql: string
  /** Milliseconds; the query is interrupted after that, and ended with its process where it cannot be. */
  readonly timeoutMs: number
  /** Rows beyond this are cut off and `hasMore` says so. */
  readonly maxRows: number
}

export interface QueryResult {
  readonly columns: readonly string[]
  /** The store's type name of each column. */
  readonly types: readonly string[]
  /** JSON-safe values: big integers as numbers where exact, else as text; timestamps as ISO 8601 UTC. */
  readonly rows: readonly (readonly unknown[])[]
  readonly hasMore: boolean
}

export interface IndexerStatus {
  /** False while the process is started again, and when it runs and has not answered for 3 seconds. */
  readonly alive: boolean
  /** Every inbox row up to this id is in the event store: the front may delete it. */
  readonly position: number
  /** Why the store does not work, or null. */
  readonly failure: string | null
  /** Inbox rows that were set aside, whole or in part, since the service started; each is told in the log with the reason. */
  readonly rejected: number
}
