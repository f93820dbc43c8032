/** One column of rows: its type, and the function that reads its values from rows. */
export type Column<Row> =
  /** Also for a JSON column; DuckDB does not check that the text is JSON. */
  | { readonly type: 'VARCHAR'; readonly values: (rows: readonly Row[]) => readonly (string | null)[] }
  | { readonly type: 'UUID'; readonly values: (rows: readonly Row[]) => readonly (string | null)[] }
  /** Milliseconds since 1970. */
  | { readonly type: 'TIMESTAMPTZ'; readonly values: (rows: readonly Row[]) => readonly number[] }
  | { readonly type: 'INTEGER'; readonly values: (rows: readonly Row[]) => readonly number[] }
  | { readonly type: 'BOOLEAN'; readonly values: (rows: readonly Row[]) => readonly boolean[] }

/** The type of a column. */
export type ColumnType = Column<unknown>['type']
