import { setTimeout as sleep } from 'node:timers/promises'
import type { DuckDBConnection, DuckDBPendingResult, DuckDBResult, DuckDBValue } from '@duckdb/node-api'
import type { PendingResult } from '@duckdb/node-bindings'
import duckdb from '@duckdb/node-bindings'

/** Interval at which is asked whether a statement has ended. */
const POLL_MS = 1

/**
 * Runs a statement in DuckDB's own thread. `connection.run` takes a thread of libuv's pool as well; where DuckDB's thread has the only task
 * of the statement, as with COMMIT, the other asks for the end without pause (`PendingQueryResult::ExecuteInternal`), which took a tenth of
 * the indexer's CPU.
 *
 * Needs an instance with two threads or more, of which one is DuckDB's own.
 */
export const runInBackground = async (
  connection: DuckDBConnection,
  sql: string,
  values: readonly DuckDBValue[] = [],
): Promise<DuckDBResult> => {
  const pending = await connection.start(sql, [...values])
  const { NO_TASKS_AVAILABLE, RESULT_NOT_READY } = duckdb.PendingState
  for (;;) {
    const state = duckdb.pending_execute_check_state(nativeOf(pending))
    // `getResult` rejects with the error, if there is one.
    if (state !== NO_TASKS_AVAILABLE && state !== RESULT_NOT_READY) return pending.getResult()
    await sleep(POLL_MS)
  }
}

/** The package has no method that asks for the state without running a task in this thread. */
const nativeOf = (pending: DuckDBPendingResult): PendingResult =>
  (pending as unknown as { readonly pending_result: PendingResult }).pending_result
