import { memoryEventStore } from './memory-event-store.ts'
import type { EventStore, StoreEntry } from '../../src/port/event-store.ts'

/** A store that outlives the tabs of a test, on a faulty disk. */
export interface SharedStore {
  /** Direct access to the records, without the faults. */
  readonly disk: EventStore
  /** True makes a write fail, as on a full disk. */
  refuses: (entries: readonly StoreEntry[]) => boolean
  /** Deletes the records, as browser or user may do, and notifies every connection. */
  lose(): Promise<void>
  /** Opens a connection. Its calls take effect in order, after the current synchronous code, and only while `isAlive` is true. */
  connect(isAlive: () => boolean, onLost?: () => void): EventStore
}

const never = new Promise<never>(() => {})

export const sharedStore = (): SharedStore => {
  const disk = memoryEventStore()
  const connections = new Set<() => void>()
  const store: SharedStore = {
    disk,
    refuses: () => false,
    async lose() {
      const keys = await disk.keys('', '\uffff')
      await disk.write(keys.map((key) => [key, undefined]))
      for (const onLost of connections) onLost()
    },
    connect(isAlive, onLost = () => {}) {
      connections.add(() => isAlive() && onLost())
      const call = async <T>(task: () => Promise<T>): Promise<T> => {
        await Promise.resolve()
        return isAlive() ? task() : never
      }
      const check = (entries: readonly StoreEntry[]): readonly StoreEntry[] => {
        if (entries.length && store.refuses(entries)) throw new Error('QuotaExceededError')
        return entries
      }
      return {
        write: (entries) => call(async () => disk.write(check(entries))),
        update: (key, change) => call(() => disk.update(key, (value) => check(change(value)))),
        read: (from, to, limit) => call(() => disk.read(from, to, limit)),
        keys: (from, to) => call(() => disk.keys(from, to)),
        close() {},
      }
    },
  }
  return store
}
