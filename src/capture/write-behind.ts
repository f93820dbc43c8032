import type { Clock } from '../port/clock.ts'
import type { EventStore, StoreRecord } from '../port/event-store.ts'

/** Most records of one transaction: about 3 ms of the page's time. The rest follows in the next turns. */
const WRITE_MAX = 250

/** Nobody waits longer for the store to open: browsers have been seen never to answer, and a busy page hears of it late. */
const OPEN_PATIENCE_MS = 2_000

/**
 * The store as this tab sees it: what was put is there at once, and is written in turns. Nothing ever rejects: what the store refuses, or
 * what has no store at all, is held in memory, and is written when the store takes something again.
 */
export interface WriteBehind {
  /** True while whatever was begun can be trusted to reach the disk: the store is open, and took the last thing it was given. */
  isSafe(): boolean
  /** Whether opening the store has ended, well or badly, or was not waited for any longer. */
  isOpen(): boolean
  /** Resolves when opening the store has ended, however long it took: one that opens late is handed over what was held. */
  opened(): Promise<void>
  /** Whether the store itself holds what was last put under this key. */
  holds(key: string): boolean
  /** Puts a record, or (undefined) deletes it, in this event-loop turn's transaction. */
  put(key: string, value: string | undefined): void
  /** Lets the writing begin; until then nothing is written. */
  release(): void
  /** Begins every write that is due, in this turn: the last one of a page. */
  write(): void
  /** Resolves when all that was put before has been written, or refused, in its turns: no turn gets longer for it. */
  written(): Promise<void>
  /** Records with `from <= key < to`, in key order, at most `limit`. */
  read(from: string, to: string, limit: number): Promise<StoreRecord[]>
  /** Keys with `from <= key < to`, in order. */
  keys(from: string, to: string): Promise<string[]>
  close(): void
}

/**
 * @param open Called at first need. Undefined: there shall be no store but memory.
 * @param onFailure Hears once that what was put is less safe than promised.
 */
export const createWriteBehind = (
  open: () => Promise<EventStore | undefined>,
  clock: Clock,
  onFailure: (error: unknown) => void,
): WriteBehind => {
  // What the store does not hold: not yet, or because it refuses. Undefined: what it holds and shall not.
  const ahead = new Map<string, string | undefined>()
  let due: string[] = []
  let isScheduled = false
  let isHeld = true
  let writing: Promise<unknown> = Promise.resolve()
  let store: EventStore | undefined
  let opening: Promise<void> | undefined
  let isOpen = false
  let isSafe = false
  let isTold = false
  let endHold = (): void => undefined
  const released = new Promise<void>((resolve) => {
    endHold = resolve
  })
  let endWait = (): void => undefined
  const waited = new Promise<void>((resolve) => {
    endWait = resolve
  })

  const fail = (error: unknown): void => {
    isSafe = false
    isOpen = true
    endWait()
    if (!isTold) onFailure(error)
    isTold = true
  }

  const opened = (): Promise<void> => {
    if (!opening) {
      const cancel = clock.after(OPEN_PATIENCE_MS, () => fail('not open in time'))
      opening = open()
        .then((own) => {
          store = own
          isSafe = !!own
          if (isOpen) writeAll()
          isOpen = true
          endWait()
        }, fail)
        .finally(cancel)
    }
    return opening
  }

  /** Starts in this turn once the store is open. Undefined when there is no answer. */
  const ask = async <T>(call: (store: EventStore) => Promise<T>): Promise<T | undefined> => {
    try {
      if (!isOpen) {
        void opened()
        await waited
      }
      return store && (await call(store))
    } catch (error) {
      fail(error)
      return undefined
    }
  }

  const schedule = (): void => {
    if (isScheduled || isHeld || !due.length) return
    isScheduled = true
    clock.defer(() => {
      isScheduled = false
      write(WRITE_MAX)
      schedule()
    })
  }

  const write = (most: number): void => {
    if (isHeld) return
    const keys = [...new Set(due.splice(0, most))].filter((key) => ahead.has(key))
    if (keys.length) writing = Promise.all([writing, transact(keys)])
  }

  const transact = async (keys: readonly string[]): Promise<void> => {
    const entries = keys.map((key) => ({ key, value: ahead.get(key) }))
    const isDone = await ask((opened) => opened.write(entries).then(() => true))
    for (const { key, value } of entries) {
      if (ahead.get(key) === value && (isDone || (!store && value === undefined))) ahead.delete(key)
    }
    if (!isDone || isSafe) return
    isSafe = true
    writeAll()
  }

  const writeAll = (): void => {
    due = [...ahead.keys()]
    schedule()
  }

  const read = async (
    from: string,
    to: string,
    stored: (store: EventStore, hidden: number) => Promise<StoreRecord[]>,
  ): Promise<StoreRecord[]> => {
    const own = [...ahead].filter(([key]) => from <= key && key < to)
    const records = (await ask((opened) => stored(opened, own.length))) ?? []
    if (!own.length) return records
    const found = new Map<string, string | undefined>(records.map(({ key, value }) => [key, value]))
    for (const [key, value] of own) found.set(key, value)
    return [...found]
      .flatMap(([key, value]) => (value === undefined ? [] : { key, value }))
      .sort((one, other) => (one.key < other.key ? -1 : 1))
  }

  return {
    isSafe: () => isSafe,
    isOpen: () => isOpen,
    opened,
    holds: (key) => !ahead.has(key),
    put(key, value) {
      ahead.set(key, value)
      due.push(key)
      schedule()
    },
    release() {
      isHeld = false
      endHold()
      schedule()
    },
    write: () => write(due.length),
    async written() {
      await released
      while (due.length) await new Promise<void>(clock.defer)
      await writing
    },
    read: async (from, to, limit) =>
      (await read(from, to, (opened, hidden) => opened.read(from, to, limit + hidden))).slice(0, limit),
    keys: async (from, to) => {
      const found = await read(from, to, async (opened) =>
        (await opened.keys(from, to)).map((key) => ({ key, value: '' })),
      )
      return found.map(({ key }) => key)
    },
    close: () => store?.close(),
  }
}
