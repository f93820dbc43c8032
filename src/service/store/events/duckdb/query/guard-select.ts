import type { DuckDBConnection } from '@duckdb/node-api'
import type { QueryControl, QueryProgress } from '../../../../indexer/query-control.ts'
import type { AskLimits } from '../../../../insight/question/questions.ts'
import { QueryError } from '../../../../indexer/query-error.ts'
import { BrokenStreamError } from '../stream-chunks.ts'
import type { MemoryGuard } from './memory-guard.ts'
import type { PreparedSelect, SelectOptions } from './prepare-select.ts'
import { prepareSelect } from './prepare-select.ts'
import { replaceUnicodeSpaces } from './replace-unicode-spaces.ts'
import { toQueryError } from './to-query-error.ts'

/** Interval at which a query's deadline and memory are checked, and its progress is reported. */
const INTERRUPT_MS = 50

/** Makes DuckDB count the rows that this connection reads, and print nothing. The lock of the settings allows both. */
const COUNT_ROWS = 'PRAGMA enable_progress_bar; PRAGMA disable_print_progress_bar'

/** Reads the rows of a SELECT. It stops with an error as soon as `isOver`: the query has timed out, was cancelled, or takes too much memory. */
export type ReadPrepared<Result> = (prepared: PreparedSelect, isOver: () => boolean) => Promise<Result>

/**
 * Runs one SELECT, and reads its rows with `read`. Rejects with `QueryError`: `timeout` after `timeoutMs`, `cancelled` after an abort of `signal`, and
 * `store_unavailable` after an earlier `connection.interrupt()`.
 *
 * @param connection Nothing else may use it meanwhile.
 * @param memory A guard of this query alone. When it is exceeded, the query rejects with `memory`.
 */
export const guardSelect = async <Result>(
  connection: DuckDBConnection,
  { sql, timeoutMs, ...options }: { readonly sql: string } & SelectOptions & AskLimits,
  { signal, onProgress }: QueryControl,
  memory: MemoryGuard,
  read: ReadPrepared<Result>,
): Promise<Result> => {
  const deadline = performance.now() + timeoutMs
  const isLate = () => performance.now() >= deadline
  const isCancelled = () => signal?.aborted === true
  let isTooLarge = false
  const isOver = () => isLate() || isCancelled() || isTooLarge
  // DuckDB ignores an interrupt between two statements, so it is repeated.
  const timer = setInterval(() => {
    isTooLarge = memory.isExceeded()
    if (isOver()) connection.interrupt()
    else reportProgress(connection, onProgress)
  }, INTERRUPT_MS)
  const interrupt = (): void => connection.interrupt()
  signal?.addEventListener('abort', interrupt)
  try {
    await connection.run(COUNT_ROWS)
    const prepared = await prepareSelect(connection, sql, options)
    try {
      return await read(prepared, isOver)
    } catch (error) {
      if (prepared.readsCounts !== true || isOver()) throw error
      await connection.run('ROLLBACK')
      const { countedRows: _, ...withoutCounts } = options
      return await read(await prepareSelect(connection, sql, withoutCounts), isOver)
    }
  } catch (thrown) {
    const error = isOver() ? thrown : await findReason(connection, sql, options, thrown)
    const queryError = toQueryError(error, replaceUnicodeSpaces(sql).sql)
    if (isCancelled()) throw new QueryError('cancelled', 'The query was cancelled.', { cause: error })
    if (isTooLarge && queryError.code === 'store_unavailable') throw createMemoryError(error)
    throw isLate() && queryError.code === 'store_unavailable' ? createTimeoutError(timeoutMs, error) : queryError
  } finally {
    clearInterval(timer)
    signal?.removeEventListener('abort', interrupt)
    await connection.run('ROLLBACK').catch(() => undefined)
  }
}

/** Why a stream broke off: the error of the same SELECT without a stream. Any other error is its own reason. */
const findReason = async (
  connection: DuckDBConnection,
  sql: string,
  options: SelectOptions,
  error: unknown,
): Promise<unknown> => {
  if (!(error instanceof BrokenStreamError)) return error
  try {
    await connection.run('ROLLBACK')
    const { statement } = await prepareSelect(connection, sql, options)
    await statement.run()
    return error
  } catch (reason) {
    return reason
  }
}

const createMemoryError = (cause: unknown): QueryError =>
  new QueryError('memory', 'The query needs more memory than a query may have.', { cause })

/** DuckDB cannot tell the progress of every plan; without a total it tells nothing. */
const reportProgress = (connection: DuckDBConnection, onProgress: QueryControl['onProgress']): void => {
  const { rows_processed: rowsRead, total_rows_to_process: estimatedRows } = connection.progress
  const progress: QueryProgress = { rowsRead: Number(rowsRead), estimatedRows: Number(estimatedRows) }
  if (progress.estimatedRows > 0) onProgress?.(progress)
}

const createTimeoutError = (timeoutMs: number, cause: unknown): QueryError =>
  new QueryError('timeout', `The query took longer than ${timeoutMs} ms and was stopped.`, { cause })
