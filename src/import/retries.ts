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
  /** Waits before the next attempt. Throws `ImportError` if there must be none, and `StoppedError` if the import was stopped. */
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

const BASE_DELAY_MS = 1000

/** Short, because a person may watch the command line: a service that is up again is noticed within a minute. */
const MAX_DELAY_MS = 60_000

/** Attempts for a host that has never accepted a connection, so that a mistyped name fails soon. */
const MAX_CONNECT_ATTEMPTS = 3

export const createRetries = ({ maxRetries, sleep, isStopped, onWait, now, random }: RetriesOptions): Retries => {
  let failures = 0
  let hasConnected = false
  return {
    async wait(response) {
      failures++
      hasConnected ||= response.status !== 0 || response.failure === TIMEOUT_FAILURE
      const because = response.failure ?? String(response.status)
      if (!hasConnected && failures >= Math.min(MAX_CONNECT_ATTEMPTS, maxRetries + 1)) {
        throw new ImportError('unreachable', `The host cannot be reached (${because}). Check its URL.`)
      }
      if (failures > maxRetries) {
        throw new ImportError(
          'gave_up',
          `Attempts that failed in a row: ${failures}. The last one failed with ${because}.`,
        )
      }
      const backOffMs = Math.min(MAX_DELAY_MS, backoffMs(failures, BASE_DELAY_MS, random()))
      const afterMs = Math.max(backOffMs, parseRetryAfterMs(response.retryAfter, now()))
      onWait({ afterMs, because, failures })
      if (!isStopped()) await sleep(afterMs)
      if (isStopped()) throw new StoppedError()
    },
    reset() {
      failures = 0
      hasConnected = true
    },
  }
}
