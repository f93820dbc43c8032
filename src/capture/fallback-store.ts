import type { EventStore, StoreEntry } from '../port/event-store.ts'

/** A store that is always there: the durable one where the platform lets it, memory for the rest. */
export interface FallbackStore extends EventStore {
  /** False while the durable store is still being opened. */
  readonly isOpen: boolean
}

/**
 * Decorates a durable store that may fail to open, or fail later: what it does not take is held by `memory`, and readers see both.
 * Nothing rejects any more; `onFailure` hears once that events are less safe than promised.
 */
export function createFallbackStore(
  opening: Promise<EventStore>,
  memory: EventStore,
  onFailure: (error: unknown) => void,
): FallbackStore {
  let durable: EventStore | undefined
  let isOpen = false
  let hasFailed = false
  const fail = (error: unknown): void => {
    if (!hasFailed) onFailure(error)
    hasFailed = true
  }
  const opened = opening.then(
    (store) => {
      durable = store
      isOpen = true
    },
    (error: unknown) => {
      isOpen = true
      fail(error)
    },
  )

  /** Asks the durable store; what it does not answer, `otherwise` does. Starts in this turn once the store is open. */
  async function attempt<T>(call: (store: EventStore) => Promise<T>, otherwise: () => Promise<T>): Promise<T> {
    if (!isOpen) await opened
    if (!durable) return otherwise()
    try {
      return await call(durable)
    } catch (error) {
      fail(error)
      return otherwise()
    }
  }

  return {
    get durable() {
      return !!durable && !hasFailed
    },
    get isOpen() {
      return isOpen
    },
    async write(entries) {
      if (hasFailed) await memory.write(entries.filter((entry) => entry.value === undefined))
      await attempt(
        (store) => store.write(entries),
        () => memory.write(entries),
      )
    },
    async read(from, to, limit) {
      const held = await memory.read(from, to, limit)
      const stored = await attempt(
        (store) => store.read(from, to, limit),
        async () => [],
      )
      return held.length ? [...stored, ...held].sort(byKey).slice(0, limit) : stored
    },
    async keys(from, to) {
      const held = await memory.keys(from, to)
      return [
        ...(await attempt(
          (store) => store.keys(from, to),
          async () => [],
        )),
        ...held,
      ].sort()
    },
    update: (key, change) =>
      attempt(
        (store) => store.update(key, change),
        () => memory.update(key, change),
      ),
    close() {
      durable?.close()
    },
  }
}

function byKey(one: StoreEntry, other: StoreEntry): number {
  return one.key < other.key ? -1 : 1
}
