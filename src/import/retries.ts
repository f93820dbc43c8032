import { backoffMs } from '../capture/backoff.ts'
import { retryAfterMs } from '../wire/retry-after.ts'
import { ImportError } from './import-error.ts'
import { LATE } from './post.ts'
import type { PostAnswer } from './post.ts'

/** A wait before the next try. */
export interface RetryWait {
  readonly afterMs: number
  /** Why the last one failed: `503`, `ECONNREFUSED`. */
  readonly because: string
  /** How many tries have failed in a row. */
  readonly failures: number
}

/** Counts the tries that fail in a row, and waits between them. */
export interface Retries {
  /** Waits until the next try may be made. Throws `ImportError` when there is to be none, and `Stopped` when the import is. */
  wait(answer: PostAnswer): Promise<void>
  /** There was an answer. */
  over(): void
}

export interface RetriesOptions {
  /** Tries that may fail in a row, the first one not counted. */
  readonly maxRetries: number
  /** Resolves after so many milliseconds, or when the import is stopped. */
  readonly sleep: (ms: number) => Promise<void>
  readonly isStopped: () => boolean
  /** Told before each wait. */
  readonly onWait: (wait: RetryWait) => void
  /** Milliseconds since 1970. */
  readonly now: () => number
  /** In [0, 1). */
  readonly random: () => number
}

/** The user has asked the import to end, and it waits for nothing but a service that does not answer. */
export class Stopped extends Error {}

const BASE_MS = 1000

/** Somebody looks at the command line: a service that is back should not wait for minutes. */
const LONGEST_MS = 60_000

/** Tries to reach a host that has never answered nor taken a connection: a wrong name is told soon. */
const TRIES_TO_REACH = 3

export const createRetries = ({ maxRetries, sleep, isStopped, onWait, now, random }: RetriesOptions): Retries => {
  let failures = 0
  let isThere = false
  return {
    async wait(answer) {
      failures++
      isThere ||= answer.status !== 0 || answer.failure === LATE
      const because = answer.failure ?? String(answer.status)
      if (!isThere && failures >= Math.min(TRIES_TO_REACH, maxRetries + 1)) {
        throw new ImportError('unreachable', `The host cannot be reached (${because}).`)
      }
      if (failures > maxRetries) {
        throw new ImportError('gave_up', `${failures} tries in a row have failed, the last one with ${because}.`)
      }
      const ownMs = Math.min(LONGEST_MS, backoffMs(failures, BASE_MS, random()))
      const afterMs = Math.max(ownMs, retryAfterMs(answer.retryAfter, now()))
      onWait({ afterMs, because, failures })
      if (!isStopped()) await sleep(afterMs)
      if (isStopped()) throw new Stopped()
    },
    over() {
      failures = 0
      isThere = true
    },
  }
}
