import type { KeyValue } from '../port/key-value.ts'
import { remainingMs } from './backoff.ts'
import { readList } from './stored-list.ts'

/**
 * For how long the events that went out without their page are left alone. Their answer is never seen, so they are then sent once more; sent
 * at once, they would go again with each page of a visitor who is faster than the service.
 */
export const BEACON_LEASE_MS = 30_000

/** The events of the last page that was left, as long as they are to be left alone. */
export interface BeaconLease {
  keys(now: number): ReadonlySet<string>
  /** Milliseconds until they are free. */
  remainingMs(now: number): number
  take(now: number, keys: readonly string[]): void
}

/** @param key Where it lies in `storage`: `[ms since 1970 of its end, …keys]`. */
export const createBeaconLease = (storage: KeyValue, key: string): BeaconLease => {
  const read = (): readonly unknown[] => readList(storage, key)
  const remaining = (now: number): number => remainingMs(Number(read()[0] ?? 0), now, BEACON_LEASE_MS)
  return {
    keys: (now) => new Set(remaining(now) ? (read() as readonly string[]) : []),
    remainingMs: remaining,
    take: (now, keys) => void storage.set(key, JSON.stringify([now + BEACON_LEASE_MS, ...keys])),
  }
}
