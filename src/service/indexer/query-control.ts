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
