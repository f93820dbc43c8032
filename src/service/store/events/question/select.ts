/** Rows of a SELECT, whose values are JSON-safe (`QueryResult.rows`). */
export type Rows = readonly (readonly unknown[])[]

/** Runs a SELECT with its parameters to its last row. Rejects with `QueryError`. */
export type Select = (sql: string, parameters?: Readonly<Record<string, string>>) => Promise<Rows>
