import type { DuckDBConnection } from '@duckdb/node-api'
import { isInvalidated } from './is-invalidated.ts'
import { logBytes } from './log-bytes.ts'
import type { DuckDbLimits } from './open-instance.ts'
import { maxLogMb } from './open-instance.ts'
import { runInBackground } from './run-in-background.ts'

/** DuckDB's megabyte. */
const BYTES_PER_MB = 1e6

/**
 * Moves the write-ahead log into the file if a commit has left it too large. DuckDB looks at the log before it commits, so the rows of a large
 * commit would stay in memory until the next one, which would take a second for a few bytes. Rejects with what `isInvalidated` recognises if
 * the file must be opened again. Another failure is left to the next commit: a query may still read what was replaced, or memory is short.
 *
 * @param waitMs See `runInBackground`.
 */
export const shortenLog = async (
  connection: DuckDBConnection,
  { file, memoryMb }: Pick<DuckDbLimits, 'memoryMb'> & { readonly file: string },
  waitMs: () => number,
): Promise<void> => {
  if (logBytes(file) <= maxLogMb(memoryMb) * BYTES_PER_MB) return
  try {
    await runInBackground(connection, 'CHECKPOINT', waitMs)
  } catch (error) {
    if (isInvalidated(error)) throw error
  }
}
