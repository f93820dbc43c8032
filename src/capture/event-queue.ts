import type { Clock } from '../port/clock.ts'
import type { StoreRecord } from '../port/event-store.ts'
import type { Lease } from '../port/lease.ts'
import { createRecordKeys, EVENTS_FROM, EVENTS_TO, sizeOfKey } from './record-key.ts'
import type { WriteBehind } from './write-behind.ts'

/** A full queue is brought within its bounds at most once in so many milliseconds: that takes a look at all keys. */
const TRIM_MS = 1_000

/**
 * How much may wait, all tabs together. Beyond either bound the oldest events go, as soon as no tab delivers; what other tabs have added since
 * this one counted (at its start, when it is woken, when it finds the queue full) goes only then.
 */
export interface QueueBounds {
  /** Default 10,000. */
  readonly maxEvents: number
  /** Default 20 MB of JSON. */
  readonly maxBytes: number
}

/** The events that are not acknowledged yet: this tab's in memory, every tab's in the store. */
export interface EventQueue {
  /** Takes one event, final JSON. It is on disk when the transaction of this event-loop turn has completed. */
  add(json: string): StoreRecord
  /** Takes back events that an earlier page could not store; they keep their keys. */
  restore(records: readonly StoreRecord[]): void
  /** Lets the writing begin; until then events are only held, and `change` may still rewrite or (undefined) drop them. */
  release(change?: (json: string) => string | undefined): void
  /** The oldest events of all tabs. */
  oldest(limit: number): Promise<readonly StoreRecord[]>
  /** Forgets events for good: delivered, or dropped. */
  remove(keys: readonly string[]): void
  /** Another tab had these acknowledged. */
  forget(keys: readonly string[]): void
  /** This tab's unacknowledged events: those that the store does not hold first, then the oldest first. */
  unacknowledged(): readonly StoreRecord[]
  /** Writes this tab's unacknowledged events once more, for the store has lost what it held. */
  rewrite(): void
  /** Counts what earlier pages and other tabs have left, and forgets what another tab had acknowledged while this one could not hear of it. */
  measure(): Promise<readonly string[]>
}

export const createEventQueue = (
  store: WriteBehind,
  clock: Clock,
  tab: string,
  bounds: QueueBounds,
  lease: Lease,
  onOverflow: (json: string) => void,
): EventQueue => {
  const nextKey = createRecordKeys(tab)
  const own = new Map<string, string>()
  let isReleased = false
  let trimming: Promise<unknown> | undefined
  let events = 0
  let bytes = 0

  const isFull = (): boolean => events > bounds.maxEvents || bytes > bounds.maxBytes

  const take = (record: StoreRecord): StoreRecord => {
    own.set(record.key, record.value)
    store.put(record.key, record.value)
    events++
    bytes += record.value.length
    relieve()
    return record
  }

  /** Under the lease no event of a request under way goes, and no other tab drops the same events. */
  const relieve = (): void => {
    if (trimming || !isFull()) return
    const rest = (): void => {
      clock.after(TRIM_MS, () => {
        trimming = undefined
        relieve()
      })
    }
    trimming = lease(trim).then(rest, rest)
  }

  const trim = async (): Promise<void> => {
    while (isFull()) {
      const keys = await measure()
      let excess = 0
      let over = bytes - bounds.maxBytes
      // What has come since the look at the keys is not among them, and has its turn with the next one.
      while (excess < keys.length && (events - excess > bounds.maxEvents || over > 0))
        over -= sizeOfKey(keys[excess++]!)
      const oldest = await store.read(EVENTS_FROM, keys[excess] ?? EVENTS_TO, excess)
      if (!oldest.length) break
      remove(oldest.map(({ key }) => key))
      for (const { value } of oldest) onOverflow(value)
      // Before another tab looks.
      await store.written()
    }
  }

  const measure = async (): Promise<readonly string[]> => {
    // What comes and goes meanwhile is not in the answer.
    const [eventsBefore, bytesBefore] = [events, bytes]
    const before = [...own.keys()]
    const keys = await store.keys(EVENTS_FROM, EVENTS_TO)
    events += keys.length - eventsBefore
    bytes += keys.reduce((sum, key) => sum + sizeOfKey(key), 0) - bytesBefore
    const there = new Set(keys)
    if (store.isSafe()) forget(before.filter((key) => !there.has(key)))
    return keys
  }

  const forget = (keys: readonly string[]): void => {
    for (const key of keys) own.delete(key)
  }

  const remove = (keys: readonly string[]): void => {
    forget(keys)
    for (const key of keys) {
      events--
      bytes -= sizeOfKey(key)
      store.put(key, undefined)
    }
  }

  return {
    add: (value) => take({ key: nextKey(clock.now(), value.length), value }),
    restore: (records) => records.forEach(take),
    release(change) {
      if (isReleased) return
      isReleased = true
      if (change) {
        for (const [key, held] of own) {
          const value = change(held)
          if (value === undefined) remove([key])
          else {
            own.set(key, value)
            store.put(key, value)
          }
        }
      }
      store.release()
    },
    async oldest(limit) {
      await trimming
      return store.read(EVENTS_FROM, EVENTS_TO, limit)
    },
    remove,
    forget,
    unacknowledged: () =>
      [...own]
        .map(([key, value]) => ({ key, value }))
        .sort((one, other) => Number(store.holds(one.key)) - Number(store.holds(other.key))),
    rewrite() {
      for (const [key, value] of own) store.put(key, value)
    },
    measure,
  }
}
