import type { OnRow } from '../query/scan-rows.ts'

/** Runs a SELECT to its last row. Rejects with `QueryError`. */
export type Select = (sql: string) => Promise<readonly (readonly unknown[])[]>

/** Runs a SELECT and passes on its rows one by one, however many there are. Rejects with `QueryError`. */
export type ForEachRow = (sql: string, onRow: OnRow) => Promise<void>
