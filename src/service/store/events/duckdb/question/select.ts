/** Runs a SELECT to its last row. Rejects with `QueryError`. */
export type Select = (sql: string) => Promise<readonly (readonly unknown[])[]>
