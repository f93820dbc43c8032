import type { KeyValue } from '../port/key-value.ts'
import { stringify } from '../lib/stringify.ts'
import { remainingMs } from './backoff.ts'
import { readList } from './read-list.ts'

/**
 * How long events wait after a beacon has sent them. A page cannot read the response to a beacon, so the events are sent once more. Without
 * the delay, a visitor who opens pages quickly would send them again from each page.
 */
export const RESEND_DELAY_MS = 30_000

/** Delays the events that the last page handed to the browser when it was closed or left. */
export interface ResendDelay {
  /** Keys of the delayed events. */
  keys(now: number): ReadonlySet<string>
  /** Milliseconds until the delay ends. */
  remainingMs(now: number): number
  /** Delays these events, in place of earlier ones. */
  start(now: number, keys: readonly string[]): void
}

/** @param key Key in `storage` of the record `[ms since 1970 when the delay ends, …event keys]`. */
export const createResendDelay = (storage: KeyValue, key: string): ResendDelay => {
  const readRecord = (): readonly unknown[] => readList(storage, key)
  const remainingDelayMs = (now: number): number => remainingMs((readRecord()[0] ?? 0) as number, now, RESEND_DELAY_MS)
  return {
    keys: (now) => new Set(remainingDelayMs(now) ? (readRecord() as readonly string[]) : []),
    remainingMs: remainingDelayMs,
    start: (now, keys) => void storage.set(key, stringify([now + RESEND_DELAY_MS, ...keys])),
  }
}
