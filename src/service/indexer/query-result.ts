/** The rows of a SELECT. */
export interface QueryResult {
  readonly columns: readonly string[]
  /** The store's type name of each column. */
  readonly types: readonly string[]
  /** JSON-safe values: big integers as numbers where exact, else as strings; timestamps as ISO 8601 in UTC. */
  readonly rows: readonly (readonly unknown[])[]
  readonly hasMore: boolean
}
