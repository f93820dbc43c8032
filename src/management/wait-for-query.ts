import { QueryFailedError } from './management-error.ts'
import type { QueryStatus, QueryStatusResponse } from './schema.ts'
import type { Send } from './send.ts'
import { sleep } from './sleep.ts'

/** The delay before the first look at a query; it grows up to the longest, so that a fast query is fast. */
const FIRST_DELAY_MS = 50
const DELAY_GROWTH = 1.5
const MAX_DELAY_MS = 1000

/** How long a cancellation may take. */
const CANCEL_TIMEOUT_MS = 5000

/** A query of a job with its path. */
export interface RemoteQuery {
  /** Starts the job and resolves to its status; undefined for a job that runs already. */
  readonly start?: () => Promise<QueryStatus>
  /** The path of its status. */
  readonly path: string
}

export interface WaitOptions {
  readonly onProgress?: ((status: QueryStatus) => void) | undefined
  readonly signal?: AbortSignal | undefined
}

/**
 * Resolves to the status of a job that has ended with a result. Rejects with `ManagementError`. When the signal is aborted, it cancels
 * the job, and then rejects with the reason of the signal.
 */
export const waitForQuery = async (
  send: Send,
  { start, path }: RemoteQuery,
  { onProgress, signal }: WaitOptions,
): Promise<QueryStatus> => {
  const read = async (): Promise<QueryStatus> => {
    const response = await send({ method: 'GET', path, signal })
    return (response as QueryStatusResponse).query_status
  }
  try {
    let status = await (start ?? read)()
    for (let delayMs = FIRST_DELAY_MS; !status.complete; delayMs = Math.min(delayMs * DELAY_GROWTH, MAX_DELAY_MS)) {
      onProgress?.(status)
      await sleep(delayMs, signal)
      status = await read()
    }
    onProgress?.(status)
    if (status.error) throw new QueryFailedError(status)
    return status
  } catch (error) {
    // The job may run even if its start has failed.
    if (signal?.aborted) await cancelQuery(send, path)
    throw error
  }
}

/** Cancels a job if that is possible; without an error, because nobody waits for it any more. */
export const cancelQuery = async (send: Send, path: string): Promise<void> => {
  await send({ method: 'DELETE', path, signal: AbortSignal.timeout(CANCEL_TIMEOUT_MS) }).catch(() => undefined)
}
