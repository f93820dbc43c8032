import { setTimeout } from 'node:timers/promises'
import { QueryError } from '../indexer/query-error.ts'
import { ExportError } from './export-error.ts'
import { PictureError } from './picture/picture-error.ts'

/** When to try again. */
export interface RetryOptions {
  /** Ends the wait, which then rejects. */
  readonly signal: AbortSignal
  /** Milliseconds between two tries. Default: 5 seconds. */
  readonly delayMs?: number
}

const DELAY_MS = 5000

/** Tries while others use the service: ten minutes. */
const MAX_BUSY_TRIES = 120

/** Tries while the store is not there. Few, because the work itself may be what ends the indexer. */
const MAX_FAILED_TRIES = 3

const isBusy = (error: unknown): boolean =>
  (error instanceof QueryError && (error.code === 'project_busy' || error.code === 'service_busy')) ||
  (error instanceof PictureError && error.code === 'busy')

const isUnavailable = (error: unknown): boolean => error instanceof QueryError && error.code === 'store_unavailable'

/** Does something, again and again while the service is busy. Rejects with `ExportError` when that does not end. */
export const retryWhileBusy = async <Result>(
  work: () => Promise<Result>,
  { signal, delayMs = DELAY_MS }: RetryOptions,
): Promise<Result> => {
  let busy = 0
  let failed = 0
  for (;;) {
    try {
      return await work()
    } catch (error) {
      signal.throwIfAborted()
      if (isBusy(error)) busy += 1
      else if (isUnavailable(error)) failed += 1
      else throw error
      if (busy === MAX_BUSY_TRIES)
        throw new ExportError('The service was busy with other queries for ten minutes. Export again later.')
      if (failed === MAX_FAILED_TRIES)
        throw new ExportError('The event store was not available. Export again later.', { cause: error })
      await setTimeout(delayMs, undefined, { signal })
    }
  }
}
