import type { DuckDBConnection } from '@duckdb/node-api'
import { FailedCommitError } from '../event-store.ts'
import { isInvalidated } from './is-invalidated.ts'
import { logBytes } from './log-bytes.ts'
import type { DuckDbLimits } from './open-instance.ts'
import { maxLogMb } from './open-instance.ts'
import { runInBackground } from './run-in-background.ts'

/** Another connection is writing, so that the next commit has to begin the checkpoint. */
const IS_BUSY = /^TransactionContext Error: Cannot CHECKPOINT/

/**
 * Moves the write-ahead log into the file if a commit has left it too large. DuckDB looks at the log before it commits, so the rows of a large
 * commit would stay in memory until the next one, which would take a second for a few bytes.
 *
 * @param waitMs See `runInBackground`.
 * Rejects if the file must be opened again: `isInvalidated`, or `FailedCommitError` without memory. The commit is on the disk then.
 */
export const shortenLog = async (
  connection: DuckDBConnection,
  { file, memoryMb }: Pick<DuckDbLimits, 'memoryMb'> & { readonly file: string },
  waitMs: () => number,
): Promise<void> => {
  if (logBytes(file) <= maxLogMb(memoryMb) * 1024 * 1024) return
  try {
    await runInBackground(connection, 'CHECKPOINT', waitMs)
  } catch (error) {
    if (isInvalidated(error)) throw error
    if (!(error instanceof Error && IS_BUSY.test(error.message))) throw new FailedCommitError(error)
  }
}
