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
  // What the durable store refused to delete. It must not be seen again: a batch that cannot be forgotten would be sent for ever.
  const gone = new Set<string>()
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
      if (hasFailed) void memory.write(entries.map(toDeletion))
      const again = [...gone]
      await attempt(
        async (store) => {
          await store.write([...again.map((key) => toDeletion({ key })), ...entries])
          for (const key of again) gone.delete(key)
        },
        () => {
          for (const { key, value } of entries) if (durable && value === undefined) gone.add(key)
          return memory.write(entries)
        },
      )
    },
    async read(from, to, limit) {
      const stored = await attempt(
        (store) => store.read(from, to, limit + gone.size),
        async () => [],
      )
      // After the durable store's answer: what it has refused before is held by then.
      const held = await memory.read(from, to, limit)
      const visible = stored.filter((record) => !gone.has(record.key))
      return (held.length ? [...visible, ...held].sort(byKey) : visible).slice(0, limit)
    },
    async keys(from, to) {
      const stored = await attempt(
        (store) => store.keys(from, to),
        async () => [],
      )
      const held = await memory.keys(from, to)
      return [...stored.filter((key) => !gone.has(key)), ...held].sort()
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

function toDeletion({ key }: { readonly key: string }): StoreEntry {
  return { key, value: undefined }
}

function byKey(one: StoreEntry, other: StoreEntry): number {
  return one.key < other.key ? -1 : 1
}
