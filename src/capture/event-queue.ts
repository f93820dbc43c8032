import type { Clock } from '../port/clock.ts'
import type { StoreRecord } from '../port/event-store.ts'
import { createRecordKeys } from './record-key.ts'
import type { WriteBehind } from './write-behind.ts'

/** The events of this tab that the service has not acknowledged yet. All of them are in memory, and soon in the store. */
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
  /** Number of events. */
  size(): number
  /** Keys of the events, in the order in which they were added. */
  keys(): readonly string[]
  /** Removes events for good, because they were delivered or dropped: here and, also those of other tabs, in the store. */
  remove(keys: readonly string[]): void
  /** Removes events from this tab's memory, because another tab delivered them. */
  forget(keys: readonly string[]): void
  /** First the unstored events, then the stored ones, each oldest first. */
  unacknowledged(): readonly StoreRecord[]
  /** Writes the events again, because the store has lost them. */
  rewrite(): void
}

/** @param tab Ends the keys, so that they differ between tabs. */
export const createEventQueue = (store: WriteBehind, clock: Clock, tab: string): EventQueue => {
  const nextKey = createRecordKeys(tab)
  const events = new Map<string, string>()
  let isWriting = false

  const put = (record: StoreRecord): StoreRecord => {
    const [key, value] = record
    events.set(key, value)
    store.put(key, value)
    return record
  }

  const forget = (keys: readonly string[]): void => keys.forEach((key) => events.delete(key))

  const remove = (keys: readonly string[]): void => {
    for (const key of keys) store.put(key, undefined)
    forget(keys)
  }

  return {
    add: (value) => put([nextKey(clock.now(), value.length), value]),
    restore: (records) => records.forEach(put),
    startWriting(change) {
      if (isWriting) return
      isWriting = true
      if (change) {
        for (const [key, json] of events) {
          const value = change(json)
          if (value === undefined) remove([key])
          else put([key, value])
        }
      }
      store.startWriting()
    },
    size: () => events.size,
    keys: () => [...events.keys()],
    remove,
    forget,
    unacknowledged: () => [...events].sort(([a], [b]) => +store.isStored(a) - +store.isStored(b)),
    rewrite: () => [...events].forEach(put),
  }
}
