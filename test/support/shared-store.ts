import { memoryEventStore } from './memory-event-store.ts'
import type { EventStore, StoreEntry } from '../../src/port/event-store.ts'

/** A store that outlives the tabs of a test, with the faults of a disk. */
export interface SharedStore {
  /** What stands in it, past all faults. */
  readonly disk: EventStore
  /** True refuses the write, as a full disk does. */
  refuses: (entries: readonly StoreEntry[]) => boolean
  /** The browser or the user deletes it while it is open; every connection hears of it. */
  lose(): Promise<void>
  /** A connection; its calls take effect, in order, after the running turn's code, and none does once `isAlive` is false. */
  connect(isAlive: () => boolean, onLost?: () => void): EventStore
}

const never = new Promise<never>(() => {})

export const sharedStore = (): SharedStore => {
  const disk = memoryEventStore()
  const connections = new Set<() => void>()
  const own: SharedStore = {
    disk,
    refuses: () => false,
    async lose() {
      const keys = await disk.keys('', '\uffff')
      await disk.write(keys.map((key) => ({ key, value: undefined })))
      for (const onLost of connections) onLost()
    },
    connect(isAlive, onLost = () => {}) {
      connections.add(() => isAlive() && onLost())
      const call = async <T>(task: () => Promise<T>): Promise<T> => {
        await Promise.resolve()
        return isAlive() ? task() : never
      }
      return {
        write: (entries) =>
          call(async () => {
            if (own.refuses(entries)) throw new Error('QuotaExceededError')
            await disk.write(entries)
          }),
        read: (from, to, limit) => call(() => disk.read(from, to, limit)),
        keys: (from, to) => call(() => disk.keys(from, to)),
        close() {},
      }
    },
  }
  return own
}
