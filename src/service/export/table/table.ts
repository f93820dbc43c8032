/** Rows that are written one after the other. */
export interface Table {
  /** Of the insight; null for a table that is alone. */
  readonly title: string | null
  readonly columns: readonly string[]
  /** JSON values, in the order of the columns. Can be read once. */
  readonly rows: AsyncIterable<readonly unknown[]> | Iterable<readonly unknown[]>
}
