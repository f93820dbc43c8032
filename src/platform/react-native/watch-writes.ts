import type { EventStore } from '../../port/event-store.ts'

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
  return {
    watch: (store) => ({
      ...store,
      async write(records) {
        await store.write(records)
        for (const uuid of waiting.keys()) if (records.some(([, value]) => value?.includes(uuid))) decide(uuid)
      },
    }),
    whenDecided: (uuid) => new Promise((resolve) => waiting.set(uuid, resolve)),
    drop: decide,
  }
}
