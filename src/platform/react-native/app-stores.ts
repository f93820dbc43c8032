import type { Clock } from '../../port/clock.ts'
import type { EventStore, StoreEntry, StoreRecord } from '../../port/event-store.ts'
import type { KeyValue } from '../../port/key-value.ts'
import { noop } from '../../lib/noop.ts'
import { once } from '../../lib/once.ts'
import { withTimeout } from '../../lib/with-timeout.ts'
import { createMemoryKeyValue } from '../memory/memory-key-value.ts'
import { readReadableItems, removeItems, writeItems } from './app-storage.ts'
import type { AppStorage } from './app-storage.ts'
import { createKeyIndex } from './key-index.ts'
import type { MaybePromise } from './maybe-promise.ts'

/**
 * Limit of one call of the storage, with its wait for earlier ones. A phone that is busy at its start answers seconds late. After a
 * timeout, calls fail at once until the storage answers again: events are delivered from memory meanwhile, and must not wait.
 */
const CALL_TIMEOUT_MS = 10_000

/** Longer records stay in memory too, until they are removed: on Android, AsyncStorage writes entries of more than 2 MB, but cannot read them. */
const MAX_READABLE_LENGTH = 500_000

/** The two stores of an agent, over one storage of the app. */
export interface OpenedAppStorage {
  /** Read before the agent starts, then kept in memory. Writes reach the storage soon after the call. */
  readonly keyValue: KeyValue
  /**
   * Undefined: events are kept in memory.
   *
   * @param onLost Called when the app has deleted records that the store had.
   */
  readonly openEvents?: (onLost: () => void) => EventStore
  /** Writes the last record of the state again: the app may have deleted it. */
  readonly rewriteState?: () => void
  /** The storage could not be read. The user may have opted out in an earlier run. */
  readonly isUnreadable?: true
}

export interface AppStorageKeys {
  /**
   * Start of every key in the storage. Ends with `_`, which no key after it contains: so a prefix of another agent that begins with this one
   * is not mistaken for it.
   */
  readonly prefix: string
  /** Start of the keys of event records, which are many: they are not read at the start. */
  readonly eventsFrom: string
  /** The key of the state in `keyValue`. It is not written there, because the event store has the durable copy. */
  readonly stateKey: string
  /** The key of the state's durable copy in the event store. */
  readonly stateRecordKey: string
  /** Start of the keys of spills, for events that the event store refuses. `keyValue` refuses them too, so that their loss is reported. */
  readonly spillPrefix: string
  /** The key of a value that says that an event was captured. It is written after the next events: a kill must not lose the event alone. */
  readonly afterEventsKey: string
}

/**
 * Creates the stores of an agent from what was read.
 *
 * The storage belongs to one running app. Calls follow each other, so that they take effect in order. A call of several entries may be cut
 * off in the middle when the app is killed: it writes first and removes last, so that no event is lost between the two.
 *
 * @param ownKeys All keys in the storage, without the prefix.
 * @param entries The entries that are not events.
 * @param onFailure Called once, when the storage refuses a write of `keyValue`.
 */
export const createAppStores = (
  storage: AppStorage,
  { prefix, stateKey, eventsFrom, stateRecordKey, spillPrefix, afterEventsKey }: AppStorageKeys,
  ownKeys: readonly string[],
  entries: ReadonlyMap<string, string | undefined>,
  clock: Pick<Clock, 'after'>,
  onFailure: (error: unknown) => void,
): OpenedAppStorage => {
  const index = createKeyIndex(ownKeys)
  const memory = createMemoryKeyValue()
  for (const [key, value] of entries) if (value !== undefined) memory.set(key, value)
  const state = memory.get(stateRecordKey)
  if (state !== null) memory.set(stateKey, state)
  const reportFailure = once(onFailure)
  let stateRecord: string | undefined
  let afterEvents: string | undefined
  let lastCall: Promise<unknown> = Promise.resolve()
  let isHanging = false

  /**
   * Calls the storage after all earlier calls have ended. Rejects when the call fails or takes too long. A late call still takes effect, and
   * later calls still wait for it: an old value must not replace a newer one.
   */
  const inOrder = async <T>(call: () => MaybePromise<T>): Promise<T> => {
    const work = lastCall.then(async () => ({ value: await call() }))
    const ended = (lastCall = work.catch(noop))
    const result = isHanging ? undefined : await withTimeout(clock, CALL_TIMEOUT_MS, work)
    if (result) return result.value
    if (!isHanging) {
      isHanging = true
      void ended.then(() => {
        isHanging = false
      })
    }
    throw new Error('timeout')
  }

  const set = (pairs: readonly (readonly [key: string, value: string])[]): Promise<void> =>
    writeItems(
      storage,
      pairs.map(([key, value]) => [prefix + key, value]),
    )
  const remove = (keys: readonly string[]): Promise<void> =>
    removeItems(
      storage,
      keys.map((key) => prefix + key),
    )

  return {
    keyValue: {
      get: memory.get,
      set(key, value) {
        if (key.startsWith(spillPrefix)) return false
        if (key === afterEventsKey) afterEvents = value
        else if (key !== stateKey && memory.get(key) !== value) inOrder(() => set([[key, value]])).catch(reportFailure)
        return memory.set(key, value)
      },
      remove(key) {
        if (memory.get(key) !== null) inOrder(() => remove([key])).catch(reportFailure)
        memory.remove(key)
      },
    },
    rewriteState() {
      // Read when its turn comes: a newer state may be in the queue before it.
      inOrder(async () => {
        if (stateRecord !== undefined) await set([[stateRecordKey, stateRecord]])
      }).catch(reportFailure)
    },
    openEvents(onLost) {
      const longRecords = new Map<string, string>()
      const read: EventStore['read'] = async (from, to, limit) => {
        const keys = index.range(from, to, limit)
        const storedKeys = keys.filter((key) => !longRecords.has(key))
        const values = await readReadableItems(
          storage,
          storedKeys.map((key) => prefix + key),
          reportFailure,
        )
        const records: StoreRecord[] = []
        let position = 0
        for (const key of keys) {
          const value = longRecords.get(key) ?? values[position++]
          if (typeof value === 'string') records.push([key, value])
          else index.delete(key)
        }
        if (records.length === keys.length) return records
        if (values.includes(undefined)) onLost()
        return read(from, to, limit)
      }
      const write = async (records: readonly StoreEntry[]): Promise<void> => {
        const changes = new Map(records)
        const written: [string, string][] = []
        const removed: string[] = []
        for (const [key, value] of changes) {
          longRecords.delete(key)
          if (value !== undefined) written.push([key, value])
          else if (index.has(key)) removed.push(key)
          if (value && value.length > MAX_READABLE_LENGTH) longRecords.set(key, value)
        }
        stateRecord = changes.get(stateRecordKey) ?? stateRecord
        const marker = written.some(([key]) => key.startsWith(eventsFrom)) ? afterEvents : undefined
        await set(marker === undefined ? written : [...written, [afterEventsKey, marker]])
        if (marker !== undefined) afterEvents = undefined
        for (const [key] of written) index.add(key)
        await remove(removed)
        for (const key of removed) index.delete(key)
      }
      return {
        write: (records) => inOrder(() => write(records)),
        update: (key, change) =>
          inOrder(async () => {
            const [record] = await read(key, `${key}\0`, 1)
            await write(change(record?.[1]))
          }),
        read: (from, to, limit) => inOrder(() => read(from, to, limit)),
        keys: (from, to) => inOrder(() => index.range(from, to)),
        close: noop,
      }
    },
  }
}
