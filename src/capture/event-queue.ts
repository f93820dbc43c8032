import type { Clock } from '../port/clock.ts'
import type { StoreEntry, StoreRecord } from '../port/event-store.ts'
import type { FallbackStore } from './fallback-store.ts'
import { createRecordKeys, EVENTS_FROM, EVENTS_TO, sizeOfKey } from './record-key.ts'

/** Most records of one transaction: about 3 ms of the page's time. The rest follows in the next turns. */
const WRITE_MAX = 250

/** How much may wait, all tabs together. Beyond either bound the oldest events go. */
export interface QueueBounds {
  /** Default 10,000. */
  readonly maxEvents: number
  /** Default 20 MB of JSON. */
  readonly maxBytes: number
}

/** The events that are not acknowledged yet: this tab's in memory, every tab's in the store. */
export interface EventQueue {
  /** Takes one event, final JSON. It is on disk when the transaction of this event-loop turn has completed. */
  add(json: string): Waiting
  /** Takes back events that an earlier page could not store; they keep their keys. */
  restore(records: readonly StoreRecord[]): void
  /** Writes a control record in this turn's transaction. */
  put(key: string, value: string | undefined): void
  /** Lets the writing begin; until then events are only held, and `change` may still rewrite or (undefined) drop them. */
  release(change?: (json: string) => string | undefined): void
  /** Begins every write that is due, now, or once the queue is released. Resolves when all of them have completed. */
  settle(): Promise<void>
  /** Resolves when all that was taken before has been written, in its turns: no turn gets longer for it. */
  written(): Promise<void>
  /** The oldest events of all tabs. */
  oldest(limit: number): Promise<readonly StoreRecord[]>
  /** Forgets events for good: delivered, or dropped. */
  remove(keys: readonly string[]): Promise<void>
  /** Another tab had these acknowledged. */
  forget(keys: readonly string[]): void
  /** This tab's unacknowledged events: those that no completed transaction holds first, then the oldest first. */
  unacknowledged(): readonly Waiting[]
  /** Counts what earlier pages and other tabs have left. */
  measure(): Promise<unknown>
}

export interface Waiting extends StoreRecord {
  isStored: boolean
}

export function createEventQueue(
  store: FallbackStore,
  clock: Clock,
  tab: string,
  bounds: QueueBounds,
  onOverflow: (json: string) => void,
): EventQueue {
  const nextKey = createRecordKeys(tab)
  const own = new Map<string, Waiting>()
  const controls = new Map<string, string | undefined>()
  let fresh: Waiting[] = []
  let isHeld = true
  let endHold = (): void => undefined
  const released = new Promise<void>((resolve) => {
    endHold = resolve
  })
  let isDue = false
  let writing: Promise<unknown> = Promise.resolve()
  let events = 0
  let bytes = 0

  function schedule(): void {
    if (isDue || isHeld) return
    isDue = true
    clock.defer(() => {
      isDue = false
      writeTurn(WRITE_MAX)
      if (fresh.length) schedule()
    })
  }

  function writeTurn(most: number): void {
    const records = fresh.splice(0, most)
    const entries: StoreEntry[] = [...controls].map(([key, value]) => ({ key, value }))
    controls.clear()
    if (!records.length && !entries.length) return
    const written = store.write([...entries, ...records]).then(() => {
      for (const record of records) record.isStored = store.durable
    })
    writing = Promise.all([writing, written]).then(trim)
  }

  async function trim(): Promise<void> {
    if (events <= bounds.maxEvents && bytes <= bounds.maxBytes) return
    const keys = await measure()
    let excess = 0
    for (let over = bytes - bounds.maxBytes; events - excess > bounds.maxEvents || over > 0; excess++) {
      if (excess === keys.length) break
      over -= sizeOfKey(keys[excess]!)
    }
    if (!excess) return
    const oldest = await store.read(EVENTS_FROM, keys[excess] ?? EVENTS_TO, excess)
    await remove(oldest.map((record) => record.key))
    for (const record of oldest) onOverflow(record.value)
  }

  async function measure(): Promise<readonly string[]> {
    const keys = await store.keys(EVENTS_FROM, EVENTS_TO)
    events = keys.length + fresh.length
    bytes = [...keys, ...fresh.map((record) => record.key)].reduce((sum, key) => sum + sizeOfKey(key), 0)
    return keys
  }

  async function written(): Promise<void> {
    if (isHeld) await released
    for (let left = fresh.length + controls.size; left > 0; left -= WRITE_MAX) await new Promise<void>(clock.defer)
    await writing
  }

  async function settle(): Promise<void> {
    if (isHeld) await released
    writeTurn(fresh.length)
    await writing
  }

  function forget(keys: readonly string[]): void {
    for (const key of keys) own.delete(key)
  }

  async function remove(keys: readonly string[]): Promise<void> {
    forget(keys)
    events -= keys.length
    for (const key of keys) bytes -= sizeOfKey(key)
    await store.write(keys.map((key) => ({ key, value: undefined })))
  }

  function take(key: string, value: string): Waiting {
    const record = { key, value, isStored: false }
    own.set(key, record)
    fresh.push(record)
    events++
    bytes += value.length
    schedule()
    return record
  }

  return {
    add(value) {
      const record = take(nextKey(clock.now(), value.length), value)
      if (fresh.length > bounds.maxEvents) {
        const [oldest] = fresh.splice(0, 1)
        events--
        bytes -= oldest!.value.length
        own.delete(oldest!.key)
        onOverflow(oldest!.value)
      }
      return record
    },
    restore(records) {
      for (const { key, value } of records) take(key, value)
    },
    put(key, value) {
      controls.set(key, value)
      schedule()
    },
    release(change) {
      if (change) {
        const held = fresh
        fresh = []
        for (const record of held) {
          const value = change(record.value)
          own.delete(record.key)
          if (value === undefined) continue
          const changed = { key: record.key, value, isStored: false }
          own.set(record.key, changed)
          fresh.push(changed)
        }
      }
      isHeld = false
      endHold()
      schedule()
    },
    settle,
    written,
    oldest: (limit) => store.read(EVENTS_FROM, EVENTS_TO, limit),
    remove,
    forget,
    unacknowledged: () => {
      const all = [...own.values()]
      return [...all.filter((record) => !record.isStored), ...all.filter((record) => record.isStored)]
    },
    measure,
  }
}
