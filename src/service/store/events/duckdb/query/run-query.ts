import type { DuckDBConnection } from '@duckdb/node-api'
import type { QueryControl, QueryProgress } from '../../../../indexer/query-control.ts'
import type { QueryResult } from '../../../../indexer/query-result.ts'
import type { AskLimits, SqlQuestion } from '../../../../insight/question/questions.ts'
import { QueryError } from '../../../../indexer/query-error.ts'
import { BrokenStreamError, streamChunks } from '../stream-chunks.ts'
import type { MemoryGuard } from './memory-guard.ts'
import { lazyColumnOf, readLazyValue, resolveIds, typeOfLazy } from './lazy-column.ts'
import type { PreparedSelect } from './prepare-select.ts'
import { prepareSelect } from './prepare-select.ts'
import { toJsonValue } from './to-json-value.ts'
import { toQueryError } from './to-query-error.ts'

/** Maximum size of a result as JSON (32 MiB), so that one query cannot use up the memory of the process. */
const MAX_RESULT_BYTES = 32 * 1024 * 1024

/** Interval at which a query's deadline and memory are checked, and its progress is reported. */
const INTERRUPT_MS = 50

/** Makes DuckDB count the rows that this connection reads, and print nothing. The lock of the settings allows both. */
const COUNT_ROWS = ['PRAGMA enable_progress_bar', 'PRAGMA disable_print_progress_bar']

/**
 * Runs one SELECT. Rejects with `QueryError`: `timeout` after `timeoutMs`, `cancelled` after an abort of `signal`, and
 * `store_unavailable` after an earlier `connection.interrupt()`.
 *
 * @param connection Nothing else may use it meanwhile.
 * @param memory A guard of this query alone. When it is exceeded, the query rejects with `memory`.
 */
export const runQuery = async (
  connection: DuckDBConnection,
  { sql, timeoutMs, maxRows }: SqlQuestion & AskLimits,
  { signal, onProgress }: QueryControl,
  memory: MemoryGuard,
): Promise<QueryResult> => {
  const deadline = performance.now() + timeoutMs
  const isLate = () => performance.now() >= deadline
  const isCancelled = () => signal?.aborted === true
  const isOver = () => isLate() || isCancelled()
  let isTooLarge = false
  // DuckDB ignores an interrupt between two statements, so it is repeated.
  const timer = setInterval(() => {
    isTooLarge = memory.isExceeded()
    if (isTooLarge || isOver()) connection.interrupt()
    else reportProgress(connection, onProgress)
  }, INTERRUPT_MS)
  const interrupt = (): void => connection.interrupt()
  signal?.addEventListener('abort', interrupt)
  try {
    for (const statement of COUNT_ROWS) await connection.run(statement)
    return await readRows(connection, await prepareSelect(connection, sql), { maxRows, isOver })
  } catch (thrown) {
    const error = isOver() || isTooLarge ? thrown : await findReason(connection, sql, thrown)
    const queryError = toQueryError(error, sql)
    if (isCancelled()) throw new QueryError('cancelled', 'The query was cancelled.', { cause: error })
    if (isTooLarge && queryError.code === 'store_unavailable') throw createMemoryError(error)
    throw isLate() && queryError.code === 'store_unavailable' ? createTimeoutError(timeoutMs, error) : queryError
  } finally {
    clearInterval(timer)
    signal?.removeEventListener('abort', interrupt)
    await connection.run('ROLLBACK').catch(() => undefined)
  }
}

interface ReadLimits {
  readonly maxRows: number
  /** Whether the query has timed out or was cancelled. */
  readonly isOver: () => boolean
}

const readRows = async (
  connection: DuckDBConnection,
  { statement, columns }: PreparedSelect,
  { maxRows, isOver }: ReadLimits,
): Promise<QueryResult> => {
  const result = await statement.stream()
  const types = result.columnTypes()
  const lazyColumns = types.map(lazyColumnOf)
  const rows: unknown[][] = []
  let bytes = 0
  let hasMore = false
  for await (const chunk of streamChunks(connection, result)) {
    if (isOver()) throw new Error('The query is over.')
    const vectors = types.map((_, index) => chunk.getColumnVector(index))
    for (let rowIndex = 0; rowIndex < chunk.rowCount; rowIndex++) {
      if (rows.length === maxRows) {
        hasMore = true
        break
      }
      // Row by row, so that a chunk of long values is not in memory a second time.
      const row = vectors.map((vector, index) =>
        toJsonValue(readLazyValue(vector.getItem(rowIndex), lazyColumns[index]!)),
      )
      bytes += JSON.stringify(row).length
      if (bytes > MAX_RESULT_BYTES) {
        throw new QueryError(
          'memory',
          `The result is larger than ${MAX_RESULT_BYTES} bytes. Select fewer rows or columns.`,
        )
      }
      rows.push(row)
    }
    if (hasMore) break
  }
  if (hasMore) await renewTransaction(connection)
  await resolveIds(connection, rows, lazyColumns)
  return {
    columns,
    // JSON is a VARCHAR with an alias.
    types: types.map((type, index) => typeOfLazy(lazyColumns[index]!) ?? type.alias ?? String(type)),
    rows,
    hasMore,
  }
}

/** Replaces the transaction that ended with a stream. Ids keep their numbers, so these still mean the same. */
const renewTransaction = async (connection: DuckDBConnection): Promise<void> => {
  await connection.run('ROLLBACK')
  await connection.run('BEGIN TRANSACTION READ ONLY')
}

/** Why a stream broke off: the error of the same SELECT without a stream. Any other error is its own reason. */
const findReason = async (connection: DuckDBConnection, sql: string, error: unknown): Promise<unknown> => {
  if (!(error instanceof BrokenStreamError)) return error
  try {
    await connection.run('ROLLBACK')
    const { statement } = await prepareSelect(connection, sql)
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
