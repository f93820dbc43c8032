import type { DuckDBConnection, DuckDBDataChunk } from '@duckdb/node-api'
import type { QueryControl } from '../../../../indexer/query-control.ts'
import type { AskLimits } from '../../../../insight/question/questions.ts'
import type { Work } from '../../../../work-in-chunks.ts'
import { workInChunks } from '../../../../work-in-chunks.ts'
import { streamChunks } from '../stream-chunks.ts'
import { guardSelect } from './guard-select.ts'
import type { MemoryGuard } from './memory-guard.ts'
import type { SelectOptions } from './prepare-select.ts'

/** Computes something from the rows of a SELECT while it runs. Its work is part of the time and the memory that the SELECT may take. */
export interface RowReader<Result> {
  /** Reads up to 2,048 rows. */
  readonly read: (chunk: DuckDBDataChunk) => Work
  /** Called after the last row. */
  readonly end: () => Work<Result>
}

/**
 * Runs one SELECT as `guardSelect` does, and passes on its rows chunk by chunk, so that they are never in memory together. The
 * SELECT has none of the columns that are read later (`LazyColumn`).
 */
export const scanRows = <Result>(
  connection: DuckDBConnection,
  question: { readonly sql: string } & SelectOptions & AskLimits,
  control: QueryControl,
  memory: MemoryGuard,
  { read, end }: RowReader<Result>,
): Promise<Result> =>
  guardSelect(connection, question, control, memory, async ({ statement }, isOver) => {
    const check = (): void => {
      if (isOver()) throw new Error('The query is over.')
    }
    for await (const chunk of streamChunks(connection, await statement.stream())) {
      check()
      await workInChunks(read(chunk), check)
    }
    return workInChunks(end(), check)
  })
