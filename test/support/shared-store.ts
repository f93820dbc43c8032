import { memoryEventStore } from '../../src/platform/memory/memory-event-store.ts'
import type { EventStore, StoreEntry } from '../../src/port/event-store.ts'

/** A store that outlives the tabs of a test, with the faults of a disk. */
export interface SharedStore {
  /** What stands in it, past all faults. */
  readonly disk: EventStore
  /** True refuses the write, as a full disk does. */
  refuses: (entries: readonly StoreEntry[]) => boolean
  /** A connection; its calls take effect, in order, after the running turn's code, and none does once `isAlive` is false. */
  connect(isAlive: () => boolean): EventStore
}

const never = new Promise<never>(() => {})

export const sharedStore = (): SharedStore => {
  const disk = memoryEventStore()
  const own: SharedStore = {
    disk,
    refuses: () => false,
    connect(isAlive) {
      const call = async <T>(task: () => Promise<T>): Promise<T> => {
        await Promise.resolve()
        return isAlive() ? task() : never
      }
      return {
        durable: true,
        write: (entries) =>
          call(async () => {
            if (own.refuses(entries)) throw new Error('QuotaExceededError')
            await disk.write(entries)
          }),
        read: (from, to, limit) => call(() => disk.read(from, to, limit)),
        keys: (from, to) => call(() => disk.keys(from, to)),
        update: (key, change) => call(() => disk.update(key, change)),
        close() {},
      }
    },
  }
  return own
}
