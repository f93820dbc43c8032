import type { Clock } from '../port/clock.ts'
import type { EventStore, StoreEntry, StoreRecord } from '../port/event-store.ts'
import { noop } from '../lib/noop.ts'
import { once } from '../lib/once.ts'
import { withTimeout } from '../lib/with-timeout.ts'

/** Maximum records of one transaction: about 3 ms of the page's time. The rest follows in later event-loop turns. */
const MAX_RECORDS_PER_WRITE = 250

/** Maximum wait for the store to open. Some browsers never respond, and a busy page gets the response late. */
const OPEN_TIMEOUT_MS = 2_000

/**
 * The event store with this tab's pending writes on top: a put is visible at once and is written in a later event-loop turn. No method
 * rejects. Records that the store refuses stay in memory, and are written when the store accepts writes again.
 */
export interface WriteBehind {
  /** Whether writes can be expected to reach the disk: the store is open, and no call has failed since the last successful write. */
  isReliable(): boolean
  /** Whether opening the store has ended: with a store, without one, or by the timeout. */
  isOpen(): boolean
  /**
   * Opens the store, and passes on the value of one record; undefined without it, or without a store. What is due then is written in the same
   * transaction. Other calls wait for it as for the opening: at most 2 s. A store that opens later gets all pending writes.
   *
   * @param onRead Called once. @returns Resolves when the transaction has ended, or failed, or there is no store.
   */
  open(key: string, onRead: (value: string | undefined) => void): Promise<void>
  /** Whether the last value put under this key is in the store. */
  isStored(key: string): boolean
  /** Puts a record, whose value is not empty, or deletes it (undefined), in the transaction of this event-loop turn. */
  put(key: string, value: string | undefined): void
  /** Starts writing. Until then all puts stay in memory. */
  startWriting(): void
  /** Starts all pending writes in this event-loop turn, because the page may be gone after it. */
  writeNow(): void
  /**
   * Resolves when all earlier puts were written or refused. It does not write sooner: writes stay in chunks, to keep the page responsive.
   */
  whenWritten(): Promise<void>
  /** Records with `from <= key < to`, in key order, at most `limit`. */
  read(from: string, to: string, limit: number): Promise<StoreRecord[]>
  /** Keys with `from <= key < to`, in order. */
  keys(from: string, to: string): Promise<string[]>
  close(): void
}

/**
 * @param open Called at first use. Resolves with undefined when nothing may be stored beyond memory.
 * @param onFailure Called once, when the store fails for the first time.
 */
export const createWriteBehind = (
  open: () => Promise<EventStore | undefined>,
  clock: Clock,
  onFailure: (error: unknown) => void,
): WriteBehind => {
  // Puts that are not in the store: not written yet, or refused. An undefined value deletes the record.
  const pending = new Map<string, string | undefined>()
  let dueKeys: string[] = []
  let isScheduled = false
  let isStarted = false
  let lastWrites: Promise<unknown> = Promise.resolve()
  let store: EventStore | undefined
  let openAttempt: Promise<void>
  let openInTime: Promise<void> | undefined
  let isOpen = false
  let isReliable = false
  const reportFailure = once(onFailure)
  let resolveStart = noop
  const whenStarted = new Promise<void>((resolve) => {
    resolveStart = resolve
  })

  const fail = (error: unknown): void => {
    isReliable = false
    isOpen = true
    reportFailure(error)
  }

  /**
   * Opens the store, once. Resolves when that has ended, even after the timeout.
   *
   * @param first Belongs to the opening. It may reject: the store is open then, but cannot be relied on.
   */
  const whenOpen = (first?: (opened: EventStore) => Promise<void>): Promise<void> => {
    if (openInTime) return openAttempt
    openAttempt = open()
      .then(async (opened) => {
        try {
          if (opened) await first?.(opened)
        } finally {
          store = opened
          isReliable = !!opened
        }
        if (isOpen) writeAll()
        isOpen = true
      })
      .catch(fail)
    openInTime = withTimeout(clock, OPEN_TIMEOUT_MS, openAttempt).then(() => {
      if (!isOpen) fail('timeout')
    })
    return openAttempt
  }

  /** Calls the store, in this turn when it is open. Undefined when the call failed or there is no store. */
  const callStore = async <T>(call: (store: EventStore) => Promise<T>): Promise<T | undefined> => {
    try {
      if (!isOpen) {
        void whenOpen()
        await openInTime
      }
      return store && (await call(store))
    } catch (error) {
      fail(error)
      return undefined
    }
  }

  const schedule = (): void => {
    if (isScheduled || !isStarted || !dueKeys.length) return
    isScheduled = true
    clock.defer(() => {
      isScheduled = false
      write(MAX_RECORDS_PER_WRITE)
      schedule()
    })
  }

  const takeDue = (maxRecords: number): readonly string[] =>
    isStarted ? [...new Set(dueKeys.splice(0, maxRecords))].filter((key) => pending.has(key)) : []

  const entriesOf = (keys: readonly string[]): readonly StoreEntry[] => keys.map((key) => [key, pending.get(key)])

  const write = (maxRecords: number): void => {
    const keys = takeDue(maxRecords)
    if (!keys.length) return
    const entries = entriesOf(keys)
    const written = callStore((eventStore) => eventStore.write(entries).then(() => true))
    lastWrites = Promise.all([lastWrites, written.then((isWritten) => settle(entries, isWritten))])
  }

  const forget = (entries: readonly StoreEntry[]): void => {
    for (const [key, value] of entries) if (pending.get(key) === value) pending.delete(key)
  }

  const settle = (entries: readonly StoreEntry[], isWritten: boolean | undefined): void => {
    // Without a store there is nothing to delete.
    forget(isWritten ? entries : entries.filter(([, value]) => !store && !value))
    if (!isWritten || isReliable) return
    isReliable = true
    writeAll()
  }

  const writeAll = (): void => {
    dueKeys = [...pending.keys()]
    schedule()
  }

  /** Reads from the store and applies the pending puts. `extraCount` more records are read, because pending deletes may remove as many. */
  const readMerged = async (
    from: string,
    to: string,
    readStored: (store: EventStore, extraCount: number) => Promise<StoreRecord[]>,
  ): Promise<StoreRecord[]> => {
    const puts = [...pending].filter(([key]) => from <= key && key < to)
    const records = (await callStore((eventStore) => readStored(eventStore, puts.length))) ?? []
    if (!puts.length) return records
    return [...new Map<string, string | undefined>([...records, ...puts])]
      .filter((entry): entry is [string, string] => entry[1] !== undefined)
      .sort(([a], [b]) => (a < b ? -1 : 1))
  }

  return {
    isReliable: () => isReliable,
    isOpen: () => isOpen,
    async open(key, onRead) {
      let isRead = false
      let failure: unknown
      const read = (value?: string): void => {
        isRead = true
        const wasScheduled = isScheduled
        // What it puts is due in this transaction, not in the next turn.
        isScheduled = true
        try {
          onRead(value)
        } catch (error) {
          failure = error
        }
        isScheduled = wasScheduled
      }
      const keys: string[] = []
      let entries: readonly StoreEntry[] = []
      let isEnded = false
      const first = async (opened: EventStore): Promise<void> => {
        try {
          await opened.update(key, (value) => {
            if (isEnded) return []
            if (!isRead) read(value)
            keys.push(...takeDue(MAX_RECORDS_PER_WRITE))
            // Of a repeated transaction: some may have been written meanwhile.
            return (entries = entriesOf(keys.filter((due) => pending.has(due))))
          })
          forget(entries)
        } finally {
          isEnded = true
        }
      }
      const isOpening = !openInTime
      const attempt = whenOpen(first)
      lastWrites = Promise.all([lastWrites, openInTime])
      await attempt
      if (!isOpening && store) await first(store).catch(fail)
      // A disk that refuses writes may still be read: the user may have opted out.
      if (!isRead) read((await callStore((eventStore) => eventStore.read(key, `${key}~`, 1)))?.[0]?.[1])
      schedule()
      if (failure) throw failure
    },
    isStored: (key) => !pending.has(key),
    put(key, value) {
      pending.set(key, value)
      dueKeys.push(key)
      schedule()
    },
    startWriting() {
      isStarted = true
      resolveStart()
      schedule()
    },
    writeNow: () => write(dueKeys.length),
    async whenWritten() {
      await whenStarted
      while (dueKeys.length) await new Promise<void>(clock.defer)
      await lastWrites
    },
    read: async (from, to, limit) =>
      (await readMerged(from, to, (eventStore, extraCount) => eventStore.read(from, to, limit + extraCount))).slice(
        0,
        limit,
      ),
    keys: async (from, to) => {
      const merged = await readMerged(from, to, async (eventStore) =>
        (await eventStore.keys(from, to)).map((key): StoreRecord => [key, '']),
      )
      return merged.map(([key]) => key)
    },
    close: () => store?.close(),
  }
}
