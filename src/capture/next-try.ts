import type { KeyValue } from '../port/key-value.ts'
import { RETRY_AFTER_MAX_MS } from '../wire/retry-after.ts'
import { BACKOFF_MAX_MS, remainingMs } from './backoff.ts'
import { readList } from './stored-list.ts'

/** When the next try is due after failures in a row, for all tabs of the site. */
export interface NextTry {
  /** How many tries have failed in a row. */
  failures(): number
  /**
   * Milliseconds from `now`; 0 when nothing has to be waited for.
   *
   * @param isForced Only the wait that the service asked for counts, not our own back-off.
   */
  remainingMs(now: number, isForced?: boolean): number
  /** @param ownMs Our own back-off. @param askedMs What the service asked for (`Retry-After`): nothing comes earlier. */
  failed(now: number, ownMs: number, askedMs: number): void
  succeeded(): void
}

/** @param key Where it lies in `storage`: `[end of the back-off, end of the wait asked for, failures]`, times in ms since 1970. */
export const createNextTry = (storage: KeyValue, key: string): NextTry => {
  const read = (): readonly number[] => readList(storage, key) as readonly number[]
  const failures = (): number => read()[2] ?? 0
  return {
    failures,
    remainingMs(now, isForced) {
      const [ownUntil = 0, askedUntil = 0] = read()
      return Math.max(
        isForced ? 0 : remainingMs(ownUntil, now, BACKOFF_MAX_MS),
        remainingMs(askedUntil, now, RETRY_AFTER_MAX_MS),
      )
    },
    failed(now, ownMs, askedMs) {
      storage.set(key, JSON.stringify([now + ownMs, now + askedMs, failures() + 1]))
    },
    succeeded() {
      if (failures()) storage.remove(key)
    },
  }
}
