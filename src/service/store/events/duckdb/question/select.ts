import type { OnChunk } from '../query/scan-chunks.ts'
import type { OnRow } from '../query/scan-rows.ts'

/** Runs a SELECT to its last row. Rejects with `QueryError`. */
export type Select = (sql: string) => Promise<readonly (readonly unknown[])[]>

/** Runs a SELECT and passes on its rows one by one, however many there are. Rejects with `QueryError`. */
export type ForEachRow = (sql: string, onRow: OnRow) => Promise<void>

/** Runs a SELECT and passes on its rows in chunks, for answers that read millions of values. Rejects with `QueryError`. */
export type ForEachChunk = (sql: string, onChunk: OnChunk) => Promise<void>
