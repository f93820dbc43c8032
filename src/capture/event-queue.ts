import { utf8Length } from '../codec/utf8.ts'
import type { Clock } from '../port/clock.ts'
import type { StoreRecord } from '../port/event-store.ts'
import type { Lock } from '../port/lock.ts'
import { createRecordKeys, EVENTS_FROM, EVENTS_TO, charactersOfKey } from './record-key.ts'
import type { WriteBehind } from './write-behind.ts'

/** Minimum time between two trims of a full queue: each trim reads all keys. */
const TRIM_INTERVAL_MS = 1_000

/**
 * Limits for the events of all tabs together. Beyond either limit the oldest events are dropped, once no tab delivers. A tab counts the
 * events of other tabs at its start, when it wakes, and when it finds the queue full. Until then the limits can be exceeded.
 */
export interface QueueLimits {
  /** Default 10,000. */
  readonly maxQueueSize: number
  /** Default 20 MB of JSON in UTF-8. */
  readonly maxBytes: number
}

/** The events that the service has not acknowledged yet: this tab's in memory, those of all tabs in the store. */
export interface EventQueue {
  /** Adds one event, as its final JSON. It is on disk when the transaction of this event-loop turn has completed. */
  add(json: string): StoreRecord
  /** Adds events that an earlier page could not store. They keep their keys. */
  restore(records: readonly StoreRecord[]): void
  /**
   * Starts writing to the store. Until then events stay in memory.
   *
   * @param change Returns the JSON to write instead of an event's JSON; undefined drops the event.
   */
  startWriting(change?: (json: string) => string | undefined): void
  /** Reads the oldest events of all tabs. */
  oldest(limit: number): Promise<readonly StoreRecord[]>
  /** Number of waiting events of all tabs, as far as this tab knows. */
  count(): number
  /** Removes events for good, because they were delivered or dropped. */
  remove(keys: readonly string[]): void
  /** Removes events from this tab's memory, because another tab delivered them. */
  forget(keys: readonly string[]): void
  /** This tab's unacknowledged events: first the unstored ones, then the stored ones, each oldest first. */
  unacknowledged(): readonly StoreRecord[]
  /** Writes this tab's unacknowledged events again, because the store has lost them. */
  rewrite(): void
  /** Counts the stored events of all tabs, forgets those that another tab has delivered, and returns the stored keys. */
  recount(): Promise<readonly string[]>
}

export const createEventQueue = (
  store: WriteBehind,
  clock: Clock,
  tab: string,
  limits: QueueLimits,
  lock: Lock,
  onOverflow: (json: string) => void,
): EventQueue => {
  const nextKey = createRecordKeys(tab)
  const ownEvents = new Map<string, string>()
  let isWriting = false
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

  const put = (record: StoreRecord): StoreRecord => {
    const [key, value] = record
    ownEvents.set(key, value)
    store.put(key, value)
    eventCount++
    if (countedBytes.size) countBytes(record)
    totalBytes += sizeOf(key)
    enforceLimits()
    return record
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
      let excessCount = 0
      let excessBytes = totalBytes - limits.maxBytes
      // Events that were added after the keys were read are not among them; the next trim counts them.
      while (excessCount < keys.length && (eventCount - excessCount > limits.maxQueueSize || excessBytes > 0))
        excessBytes -= sizeOf(keys[excessCount++]!)
      const oldest = await store.read(EVENTS_FROM, keys[excessCount] ?? EVENTS_TO, excessCount)
      if (!oldest.length) break
      remove(oldest.map(([key]) => key))
      for (const [, value] of oldest) onOverflow(value)
      // The deletions must be stored before another tab reads the keys.
      await store.whenWritten()
    }
  }

  const recount = async (): Promise<readonly string[]> => {
    // The result of the read lacks the changes that happen during it, so the difference to the counts before the read is added.
    const [countBefore, bytesBefore] = [eventCount, totalBytes]
    const ownKeysBefore = [...ownEvents.keys()]
    const keys = await store.keys(EVENTS_FROM, EVENTS_TO)
    eventCount += keys.length - countBefore
    totalBytes -= bytesBefore
    for (const key of keys) totalBytes += sizeOf(key)
    const storedKeys = new Set(keys)
    if (store.isReliable()) forget(ownKeysBefore.filter((key) => !storedKeys.has(key)))
    return keys
  }

  const forget = (keys: readonly string[]): void => {
    for (const key of keys) {
      ownEvents.delete(key)
      countedBytes.delete(key)
    }
  }

  const remove = (keys: readonly string[]): void => {
    for (const key of keys) {
      eventCount--
      totalBytes -= sizeOf(key)
      store.put(key, undefined)
    }
    forget(keys)
  }

  return {
    add: (value) => put([nextKey(clock.now(), value.length), value]),
    restore: (records) => records.forEach(put),
    startWriting(change) {
      if (isWriting) return
      isWriting = true
      if (change) {
        for (const [key, json] of ownEvents) {
          const value = change(json)
          if (value === undefined) remove([key])
          else {
            ownEvents.set(key, value)
            store.put(key, value)
          }
        }
      }
      store.startWriting()
    },
    async oldest(limit) {
      await currentTrim
      return store.read(EVENTS_FROM, EVENTS_TO, limit)
    },
    count: () => eventCount,
    remove,
    forget,
    unacknowledged: () => [...ownEvents].sort(([a], [b]) => +store.isStored(a) - +store.isStored(b)),
    rewrite() {
      for (const [key, value] of ownEvents) store.put(key, value)
    },
    recount,
  }
}
