import type { EventStore, StoreEntry } from '../../port/event-store.ts'

/** Tells when an event is on the disk. */
export interface WriteWatch {
  /** Creates a store that passes all calls on to `store`, and whose writes are watched. */
  watch(store: EventStore): EventStore
  /** Resolves when an event with this uuid was written or dropped; never, if it is only kept in memory. */
  whenDecided(uuid: string): Promise<void>
  /** Must be called when an event is dropped. */
  drop(uuid: string): void
}

export const createWriteWatch = (): WriteWatch => {
  const waiting = new Map<string, () => void>()
  const decide = (uuid: string): void => {
    waiting.get(uuid)?.()
    waiting.delete(uuid)
  }
  const onWritten = (records: readonly StoreEntry[]): void => {
    for (const uuid of waiting.keys()) if (records.some(([, value]) => value?.includes(uuid))) decide(uuid)
  }
  return {
    watch: (store) => ({
      ...store,
      async write(records) {
        await store.write(records)
        onWritten(records)
      },
      async update(key, change) {
        let written: readonly StoreEntry[] = []
        await store.update(key, (value) => (written = change(value)))
        onWritten(written)
      },
    }),
    whenDecided: (uuid) => new Promise((resolve) => waiting.set(uuid, resolve)),
    drop: decide,
  }
}
