import type { DuckDBConnection, DuckDBDataChunk } from '@duckdb/node-api'
import type { QueryControl } from '../../../../indexer/query-control.ts'
import type { AskLimits } from '../../../../insight/question/questions.ts'
import { streamChunks } from '../stream-chunks.ts'
import { guardSelect } from './guard-select.ts'
import type { MemoryGuard } from './memory-guard.ts'

/** Receives up to 2,048 rows while the SELECT runs. */
export type OnChunk = (chunk: DuckDBDataChunk) => void

/**
 * Runs one SELECT as `guardSelect` does, and passes on its rows chunk by chunk, so that they are never in memory together. The
 * SELECT has none of the columns that are read later (`LazyColumn`).
 */
export const scanRows = (
  connection: DuckDBConnection,
  question: { readonly sql: string } & AskLimits,
  control: QueryControl,
  memory: MemoryGuard,
  onChunk: OnChunk,
): Promise<void> =>
  guardSelect(connection, question, control, memory, async ({ statement }, isOver) => {
    for await (const chunk of streamChunks(connection, await statement.stream())) {
      if (isOver()) throw new Error('The query is over.')
      onChunk(chunk)
    }
  })
