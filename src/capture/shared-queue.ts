import { utf8Length } from '../codec/utf8.ts'
import type { Clock } from '../port/clock.ts'
import type { StoreRecord } from '../port/event-store.ts'
import type { Lock } from '../port/lock.ts'
import type { EventQueue } from './event-queue.ts'
import { dropBeyondLimits } from './queue-limits.ts'
import type { QueueLimits } from './queue-limits.ts'
import { charactersOfKey, EVENTS_FROM, EVENTS_TO } from './record-key.ts'
import type { WriteBehind } from './write-behind.ts'

/** Minimum time between two trims of a full queue: each trim reads all keys. */
const TRIM_INTERVAL_MS = 1_000

/** The waiting events of all tabs, which the store has. */
export interface SharedQueue {
  /** Counts an event that this tab has added to its own queue. */
  countAdded(record: StoreRecord): void
  /** Adds events that an earlier page could not store. They keep their keys. */
  restore(records: readonly StoreRecord[]): void
  /** Reads the oldest events of all tabs. */
  oldest(limit: number): Promise<readonly StoreRecord[]>
  /** Number of waiting events of all tabs, as far as this tab knows. */
  count(): number
  /** Removes events for good, because they were delivered or dropped. */
  remove(keys: readonly string[]): void
  /** Removes events from this tab's memory, because another tab delivered them. */
  forget(keys: readonly string[]): void
  /** Counts the stored events of all tabs, forgets those that another tab has delivered, and returns the stored keys. */
  recount(): Promise<readonly string[]>
}

/**
 * @param own The events of this tab; those that it has already are counted.
 * @param onOverflow Called for each event that is dropped because of a limit.
 */
export const createSharedQueue = (
  own: Omit<EventQueue, 'add' | 'rewrite' | 'startWriting'>,
  store: Pick<WriteBehind, 'isReliable' | 'keys' | 'read' | 'whenWritten'>,
  clock: Clock,
  limits: QueueLimits,
  lock: Lock,
  onOverflow: (json: string) => void,
): SharedQueue => {
  let currentTrim: Promise<unknown> | undefined
  let eventCount = 0
  let totalBytes = 0
  /**
   * Counting bytes takes time for each event, and most queues are far below the limit. So events have three bytes per character, which is the
   * maximum, until the total is beyond the limit. From then on this has the counted bytes by key.
   */
  const countedBytes = new Map<string, number>()

  const sizeOf = (key: string): number => countedBytes.get(key) ?? 3 * charactersOfKey(key)

  const countBytes = ([key, value]: StoreRecord): unknown => countedBytes.set(key, utf8Length(value))

  const isFull = (): boolean => eventCount > limits.maxQueueSize || totalBytes > limits.maxBytes

  const countAdded = (record: StoreRecord): void => {
    eventCount++
    if (countedBytes.size) countBytes(record)
    totalBytes += sizeOf(record[0])
    enforceLimits()
  }

  /** Trims under the lock, so that no event in flight is dropped and no other tab drops the same events. */
  const enforceLimits = (): void => {
    if (currentTrim || !isFull()) return
    const pause = (): void => {
      clock.after(TRIM_INTERVAL_MS, () => {
        currentTrim = undefined
        enforceLimits()
      })
    }
    currentTrim = lock(trim).then(pause, pause)
  }

  const trim = async (): Promise<void> => {
    while (isFull()) {
      const keys = await recount()
      const uncounted = totalBytes > limits.maxBytes && keys.find((key) => !countedBytes.has(key))
      if (uncounted) {
        const records = await store.read(uncounted, EVENTS_TO, keys.length)
        records.forEach(countBytes)
        if (records.length) continue
      }
      // Events that were added after the keys were read are not among them; the next trim counts them.
      if (!(await dropBeyondLimits(store, { remove }, limits, keys, eventCount, totalBytes, sizeOf, onOverflow))) break
      // The deletions must be stored before another tab reads the keys.
      await store.whenWritten()
    }
  }

  const recount = async (): Promise<readonly string[]> => {
    // The result of the read lacks the changes that happen during it, so the difference to the counts before the read is added.
    const [countBefore, bytesBefore] = [eventCount, totalBytes]
    const ownKeysBefore = own.keys()
    const keys = await store.keys(EVENTS_FROM, EVENTS_TO)
    eventCount += keys.length - countBefore
    totalBytes -= bytesBefore
    for (const key of keys) totalBytes += sizeOf(key)
    const storedKeys = new Set(keys)
    if (store.isReliable()) forget(ownKeysBefore.filter((key) => !storedKeys.has(key)))
    return keys
  }

  const forget = (keys: readonly string[]): void => {
    own.forget(keys)
    for (const key of keys) countedBytes.delete(key)
  }

  const remove = (keys: readonly string[]): void => {
    eventCount -= keys.length
    for (const key of keys) totalBytes -= sizeOf(key)
    own.remove(keys)
    for (const key of keys) countedBytes.delete(key)
  }

  own.unacknowledged().forEach(countAdded)
  return {
    countAdded,
    restore(records) {
      own.restore(records)
      records.forEach(countAdded)
    },
    async oldest(limit) {
      await currentTrim
      return store.read(EVENTS_FROM, EVENTS_TO, limit)
    },
    count: () => eventCount,
    remove,
    forget,
    recount,
  }
}
