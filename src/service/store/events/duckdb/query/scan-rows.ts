import type { DuckDBConnection, DuckDBValue } from '@duckdb/node-api'
import type { QueryControl } from '../../../../indexer/query-control.ts'
import type { AskLimits } from '../../../../insight/question/questions.ts'
import type { MemoryGuard } from './memory-guard.ts'
import { scanChunks } from './scan-chunks.ts'

/** Receives a row while the SELECT runs. The values are as DuckDB has them. */
export type OnRow = (row: readonly DuckDBValue[]) => void

/**
 * Runs one SELECT as `guardSelect` does, and passes on its rows one after the other, so that they are never in memory together.
 * The SELECT has none of the columns that are read later (`LazyColumn`).
 */
export const scanRows = (
  connection: DuckDBConnection,
  question: { readonly sql: string } & AskLimits,
  control: QueryControl,
  memory: MemoryGuard,
  onRow: OnRow,
): Promise<void> =>
  scanChunks(connection, question, control, memory, (chunk) => {
    const vectors = Array.from({ length: chunk.columnCount }, (_, index) => chunk.getColumnVector(index))
    for (let rowIndex = 0; rowIndex < chunk.rowCount; rowIndex++)
      onRow(vectors.map((vector) => vector.getItem(rowIndex)))
  })
