import type { KeyValue } from '../port/key-value.ts'
import { stringify } from '../lib/stringify.ts'
import { MAX_RETRY_AFTER_MS } from '../wire/retry-after.ts'
import { MAX_BACKOFF_MS, remainingMs } from './backoff.ts'
import { readList } from './read-list.ts'

/** When the next attempt is due after failures in a row. All tabs of the site share it. */
export interface RetryTime {
  /** Number of failed attempts in a row. */
  failures(): number
  /**
   * Milliseconds from `now` until the next attempt is due; 0 when it is due now.
   *
   * @param isForced Ignores our own back-off, so that only a `Retry-After` of the service applies.
   */
  remainingMs(now: number, isForced?: boolean): number
  /** @param backoffMs Our own back-off. @param retryAfterMs `Retry-After` of the service: no attempt comes earlier, even a forced one. */
  recordFailure(now: number, backoffMs: number, retryAfterMs: number): void
  recordSuccess(): void
}

/** @param key Key in `storage` of the record `[end of the back-off, end of the Retry-After, failures]`, times in ms since 1970. */
export const createRetryTime = (storage: KeyValue, key: string): RetryTime => {
  const readRecord = (): readonly number[] => readList(storage, key) as readonly number[]
  const failures = (): number => readRecord()[2] ?? 0
  return {
    failures,
    remainingMs(now, isForced) {
      const [backoffUntil = 0, retryAfterUntil = 0] = readRecord()
      return Math.max(
        isForced ? 0 : remainingMs(backoffUntil, now, MAX_BACKOFF_MS),
        remainingMs(retryAfterUntil, now, MAX_RETRY_AFTER_MS),
      )
    },
    recordFailure(now, backoffMs, retryAfterMs) {
      storage.set(key, stringify([now + backoffMs, now + retryAfterMs, failures() + 1]))
    },
    recordSuccess() {
      if (failures()) storage.remove(key)
    },
  }
}
