/** The rows of a query as the management API has them. */
export interface ResultTable {
  readonly columns: readonly string[]
  /** JSON values, in the order of the columns. */
  readonly results: readonly (readonly unknown[])[]
}
