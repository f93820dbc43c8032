import type { DuckDBConnection, DuckDBPreparedStatement } from '@duckdb/node-api'
import type { QueryRequest, QueryResult } from '../../../../indexer/indexer.ts'
import { QueryError } from '../../../../indexer/query-error.ts'
import { readRowLists } from '../stream-rows.ts'
import { lazyColumnOf, readLazyValue, resolveIds, typeOfLazy } from './lazy-column.ts'
import { prepareSelect } from './prepare-select.ts'
import { toJsonValue } from './to-json-value.ts'
import { toQueryError } from './to-query-error.ts'

/** Maximum size of a result as JSON (32 MiB), so that one query cannot use up the memory of the process. */
const MAX_RESULT_BYTES = 32 * 1024 * 1024

/** Interval at which a query's deadline is checked. */
const INTERRUPT_MS = 50

/**
 * Runs one SELECT. Rejects with `QueryError`: `timeout` after `timeoutMs`, `store_unavailable` after an earlier
 * `connection.interrupt()`.
 *
 * @param connection Nothing else may use it meanwhile.
 */
export const runQuery = async (
  connection: DuckDBConnection,
  { sql, timeoutMs, maxRows }: Omit<QueryRequest, 'projectId'>,
): Promise<QueryResult> => {
  const deadline = performance.now() + timeoutMs
  const isLate = () => performance.now() >= deadline
  // DuckDB ignores an interrupt between two statements, so it is repeated.
  const timer = setInterval(() => {
    if (isLate()) connection.interrupt()
  }, INTERRUPT_MS)
  try {
    const statement = await prepareSelect(connection, sql)
    return await readRows(connection, statement, { maxRows, isLate })
  } catch (error) {
    const queryError = toQueryError(error)
    throw isLate() && queryError.code === 'store_unavailable' ? createTimeoutError(timeoutMs, error) : queryError
  } finally {
    clearInterval(timer)
    await connection.run('ROLLBACK').catch(() => undefined)
  }
}

interface ReadLimits {
  readonly maxRows: number
  readonly isLate: () => boolean
}

const readRows = async (
  connection: DuckDBConnection,
  statement: DuckDBPreparedStatement,
  { maxRows, isLate }: ReadLimits,
): Promise<QueryResult> => {
  const result = await statement.stream()
  const types = result.columnTypes()
  const lazyColumns = types.map(lazyColumnOf)
  const rows: unknown[][] = []
  let bytes = 0
  let hasMore = false
  for await (const list of readRowLists(result)) {
    if (isLate()) throw new Error('The query has timed out.')
    for (const values of list) {
      if (rows.length === maxRows) {
        hasMore = true
        break
      }
      const row = values.map((value, index) => toJsonValue(readLazyValue(value, lazyColumns[index]!)))
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
  await resolveIds(connection, rows, lazyColumns)
  return {
    columns: result.columnNames(),
    // JSON is a VARCHAR with an alias.
    types: types.map((type, index) => typeOfLazy(lazyColumns[index]!) ?? type.alias ?? String(type)),
    rows,
    hasMore,
  }
}

const createTimeoutError = (timeoutMs: number, cause: unknown): QueryError =>
  new QueryError('timeout', `The query took longer than ${timeoutMs} ms and was stopped.`, { cause })
