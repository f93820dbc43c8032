import type { OnChunk } from '../query/scan-rows.ts'

/** Runs a SELECT to its last row. Rejects with `QueryError`. */
export type Select = (sql: string) => Promise<readonly (readonly unknown[])[]>

/** Runs a SELECT and passes on its rows in chunks, however many there are. Rejects with `QueryError`. */
export type ForEachChunk = (sql: string, onChunk: OnChunk) => Promise<void>
