import { backoffMs } from '../capture/backoff.ts'
import { parseRetryAfterMs } from '../wire/retry-after.ts'
import { ImportError } from './import-error.ts'
import { TIMEOUT_FAILURE } from './post.ts'
import type { PostResponse } from './post.ts'

/** A wait before the next attempt. */
export interface RetryWait {
  readonly afterMs: number
  /** Why the last attempt failed: `503`, `ECONNREFUSED`. */
  readonly because: string
  /** Number of attempts that have failed in a row. */
  readonly failures: number
}

/** Counts the attempts that fail in a row, and waits between them. */
export interface Retries {
  /** Waits before the next attempt. Throws `ImportError` if no attempt is left, and `StoppedError` if the import was stopped. */
  wait(response: PostResponse): Promise<void>
  /** Resets the count after a response that needs no retry. */
  reset(): void
}

export interface RetriesOptions {
  /** Retries that may fail in a row; the first attempt is not counted. */
  readonly maxRetries: number
  /** Resolves after this many milliseconds, or as soon as the import is stopped. */
  readonly sleep: (ms: number) => Promise<void>
  readonly isStopped: () => boolean
  /** Called before each wait. */
  readonly onWait: (wait: RetryWait) => void
  /** Milliseconds since 1970. */
  readonly now: () => number
  /** Returns a number in [0, 1). */
  readonly random: () => number
}

/** Ends the import without an error: the user has stopped it while it waited for the service. */
export class StoppedError extends Error {}

/** Delay before the first retry; it doubles each time. */
const BASE_DELAY_MS = 1000

/** Maximum delay. A person may watch the command line, so a service that is up again should be noticed within a minute. */
const MAX_DELAY_MS = 60_000

/** Attempts for a host that has never accepted a connection, so that a mistyped name fails soon. */
const MAX_CONNECT_ATTEMPTS = 3

export const createRetries = ({ maxRetries, sleep, isStopped, onWait, now, random }: RetriesOptions): Retries => {
  let failureCount = 0
  let hasConnected = false
  return {
    async wait(response) {
      failureCount++
      hasConnected ||= response.status !== 0 || response.failure === TIMEOUT_FAILURE
      const because = response.failure ?? String(response.status)
      if (!hasConnected && failureCount >= Math.min(MAX_CONNECT_ATTEMPTS, maxRetries + 1)) {
        throw new ImportError('unreachable', `The host cannot be reached (${because}). Check its URL.`)
      }
      if (failureCount > maxRetries) {
        throw new ImportError(
          'gave_up',
          `Attempts that failed in a row: ${failureCount}. The last one failed with ${because}.`,
        )
      }
      const backOffMs = Math.min(MAX_DELAY_MS, backoffMs(failureCount, BASE_DELAY_MS, random()))
      const afterMs = Math.max(backOffMs, parseRetryAfterMs(response.retryAfter, now()))
      onWait({ afterMs, because, failures: failureCount })
      if (!isStopped()) await sleep(afterMs)
      if (isStopped()) throw new StoppedError()
    },
    reset() {
      failureCount = 0
      hasConnected = true
    },
  }
}
