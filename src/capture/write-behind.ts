import type { Clock } from '../port/clock.ts'
import type { EventStore, StoreRecord } from '../port/event-store.ts'

/** Maximum records of one transaction: about 3 ms of the page's time. The rest follows in later event-loop turns. */
const MAX_RECORDS_PER_WRITE = 250

/** Maximum wait for the store to open. Some browsers never answer, and a busy page gets the answer late. */
const OPEN_TIMEOUT_MS = 2_000

/**
 * The event store with this tab's pending writes on top: a put is visible at once and is written in a later event-loop turn. No method
 * rejects. What the store refuses stays in memory, and is written when the store accepts writes again.
 */
export interface WriteBehind {
  /** True while writes can be expected to reach the disk: the store is open, and its last write succeeded. */
  isReliable(): boolean
  /** Whether opening the store has ended: with a store, without one, or by the timeout. */
  isOpen(): boolean
  /** Resolves when opening the store has ended, even after the timeout. A store that opens late gets all pending writes. */
  whenOpen(): Promise<void>
  /** Whether the last value put under this key is in the store. */
  isStored(key: string): boolean
  /** Puts a record, or deletes it (undefined), in the transaction of this event-loop turn. */
  put(key: string, value: string | undefined): void
  /** Starts writing. Until then all puts stay in memory. */
  startWriting(): void
  /** Starts all pending writes in this event-loop turn, because the page may be gone after it. */
  writeNow(): void
  /** Resolves when all earlier puts were written or refused. They are still written in chunks, so that the page stays responsive. */
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
  // Puts that the store does not have, because they are not written yet or were refused. Undefined: a delete.
  const pending = new Map<string, string | undefined>()
  let dueKeys: string[] = []
  let isScheduled = false
  let isStarted = false
  let writing: Promise<unknown> = Promise.resolve()
  let store: EventStore | undefined
  let opening: Promise<void> | undefined
  let isOpen = false
  let isReliable = false
  let hasReported = false
  let resolveStarted = (): void => undefined
  const started = new Promise<void>((resolve) => {
    resolveStarted = resolve
  })
  let resolveOpen = (): void => undefined
  const openOrTimeout = new Promise<void>((resolve) => {
    resolveOpen = resolve
  })

  const fail = (error: unknown): void => {
    isReliable = false
    isOpen = true
    resolveOpen()
    if (!hasReported) onFailure(error)
    hasReported = true
  }

  const whenOpen = (): Promise<void> => {
    if (!opening) {
      const cancel = clock.after(OPEN_TIMEOUT_MS, () => fail('not open in time'))
      opening = open()
        .then((opened) => {
          store = opened
          isReliable = !!opened
          if (isOpen) writeAll()
          isOpen = true
          resolveOpen()
        }, fail)
        .finally(cancel)
    }
    return opening
  }

  /** Calls the store, in this turn when it is open. Undefined when the call failed or there is no store. */
  const callStore = async <T>(call: (store: EventStore) => Promise<T>): Promise<T | undefined> => {
    try {
      if (!isOpen) {
        void whenOpen()
        await openOrTimeout
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

  const write = (maxRecords: number): void => {
    if (!isStarted) return
    const keys = [...new Set(dueKeys.splice(0, maxRecords))].filter((key) => pending.has(key))
    if (keys.length) writing = Promise.all([writing, transact(keys)])
  }

  const transact = async (keys: readonly string[]): Promise<void> => {
    const entries = keys.map((key) => ({ key, value: pending.get(key) }))
    const isDone = await callStore((opened) => opened.write(entries).then(() => true))
    for (const { key, value } of entries) {
      if (pending.get(key) === value && (isDone || (!store && value === undefined))) pending.delete(key)
    }
    if (!isDone || isReliable) return
    isReliable = true
    writeAll()
  }

  const writeAll = (): void => {
    dueKeys = [...pending.keys()]
    schedule()
  }

  /** Reads from the store and applies the pending puts. `extra` records more are read, because a pending delete may hide as many. */
  const readMerged = async (
    from: string,
    to: string,
    readStored: (store: EventStore, extra: number) => Promise<StoreRecord[]>,
  ): Promise<StoreRecord[]> => {
    const puts = [...pending].filter(([key]) => from <= key && key < to)
    const records = (await callStore((opened) => readStored(opened, puts.length))) ?? []
    if (!puts.length) return records
    const merged = new Map<string, string | undefined>(records.map(({ key, value }) => [key, value]))
    for (const [key, value] of puts) merged.set(key, value)
    return [...merged]
      .flatMap(([key, value]) => (value === undefined ? [] : { key, value }))
      .sort((a, b) => (a.key < b.key ? -1 : 1))
  }

  return {
    isReliable: () => isReliable,
    isOpen: () => isOpen,
    whenOpen,
    isStored: (key) => !pending.has(key),
    put(key, value) {
      pending.set(key, value)
      dueKeys.push(key)
      schedule()
    },
    startWriting() {
      isStarted = true
      resolveStarted()
      schedule()
    },
    writeNow: () => write(dueKeys.length),
    async whenWritten() {
      await started
      while (dueKeys.length) await new Promise<void>(clock.defer)
      await writing
    },
    read: async (from, to, limit) =>
      (await readMerged(from, to, (opened, extra) => opened.read(from, to, limit + extra))).slice(0, limit),
    keys: async (from, to) => {
      const merged = await readMerged(from, to, async (opened) =>
        (await opened.keys(from, to)).map((key) => ({ key, value: '' })),
      )
      return merged.map(({ key }) => key)
    },
    close: () => store?.close(),
  }
}
