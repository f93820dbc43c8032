import { setTimeout as sleep } from 'node:timers/promises'
import type { DuckDBConnection, DuckDBPendingResult, DuckDBResult } from '@duckdb/node-api'
import type { PendingResult } from '@duckdb/node-bindings'
import duckdb from '@duckdb/node-bindings'

/** Interval at which is asked whether a statement has ended. */
const POLL_MS = 1

/**
 * Runs a statement in DuckDB's own thread, if it has one. `connection.run` takes a thread of libuv's pool as well; where DuckDB's thread has
 * the only task of the statement, as with COMMIT, the other asks for the end without pause (`PendingQueryResult::ExecuteInternal`). That took
 * a tenth of the indexer's CPU, and beside a query, which then had no core, a commit took up to a second instead of 20 ms.
 *
 * @param limitMs How long the statement may wait for that thread, whether it waits for its begin or its end. It is asked again meanwhile.
 * After it, the statement continues as by `connection.run`. 0 where DuckDB has no thread of its own.
 */
export const runInBackground = async (
  connection: DuckDBConnection,
  sql: string,
  limitMs: () => number,
): Promise<DuckDBResult> => {
  if (limitMs() === 0) return connection.run(sql)
  const pending = await connection.start(sql)
  const { NO_TASKS_AVAILABLE, RESULT_NOT_READY } = duckdb.PendingState
  const startedAt = performance.now()
  while (performance.now() - startedAt < limitMs()) {
    const state = duckdb.pending_execute_check_state(nativeOf(pending))
    if (state !== NO_TASKS_AVAILABLE && state !== RESULT_NOT_READY) break
    await sleep(POLL_MS)
  }
  // `getResult` hides the message of a statement that has failed already behind one of its own, and must be called to end the statement.
  const message = duckdb.pending_error(nativeOf(pending))
  try {
    return await pending.getResult()
  } catch (error) {
    throw message ? new Error(message, { cause: error }) : error
  }
}

/** The package has no method that asks for the state without running a task in this thread. */
const nativeOf = (pending: DuckDBPendingResult): PendingResult =>
  (pending as unknown as { readonly pending_result: PendingResult }).pending_result
