import type { EventStore } from './event-store.ts'

/** The open stores of all projects: each is opened when it is first used, and the least recently used ones are closed. */
export interface EventStores {
  /** Uses a project's store; it stays open at least until `use` has settled. */
  with<Result>(projectId: number, use: (store: EventStore) => Promise<Result>): Promise<Result>
  /** Closes a project's store after a failure; the next use opens it anew. */
  reopen(projectId: number): Promise<void>
  /** Ends the running queries of all open stores; later ones are refused. */
  interrupt(): void
  close(): Promise<void>
}

interface Entry {
  readonly store: Promise<EventStore>
  users: number
}

/** @param maxOpen stores open at once; more only while more are in use. */
export const createEventStores = (open: (projectId: number) => Promise<EventStore>, maxOpen: number): EventStores => {
  // In the order of their last use: a Map keeps insertion order.
  const entries = new Map<number, Entry>()
  // A file must not be opened while its last instance still closes, and never again when that one did not close.
  const closing = new Map<number, Promise<void>>()

  const close = async (projectId: number, entry: Entry): Promise<void> => {
    entries.delete(projectId)
    const done = entry.store.then(
      (store) => store.close(),
      () => undefined,
    )
    closing.set(projectId, done)
    try {
      await done
    } catch {
      // Stays as it is: whoever wants to open the file is told why it cannot be.
      return
    }
    if (closing.get(projectId) === done) closing.delete(projectId)
  }

  const closeIdle = async (): Promise<void> => {
    for (const [projectId, entry] of entries) {
      if (entries.size <= maxOpen) return
      if (entry.users === 0) await close(projectId, entry)
    }
  }

  return {
    async with(projectId, use) {
      const known = entries.get(projectId)
      const entry = known ?? {
        store: (closing.get(projectId) ?? Promise.resolve()).then(() => open(projectId)),
        users: 0,
      }
      entries.delete(projectId)
      entries.set(projectId, entry)
      entry.users += 1
      try {
        return await use(await entry.store)
      } catch (error) {
        // A store that did not open must not stay: the next use tries again.
        const isOpen = await entry.store.then(
          () => true,
          () => false,
        )
        if (!isOpen && entries.get(projectId) === entry) entries.delete(projectId)
        throw error
      } finally {
        entry.users -= 1
        await closeIdle()
      }
    },
    async reopen(projectId) {
      const entry = entries.get(projectId)
      if (entry !== undefined) await close(projectId, entry)
    },
    interrupt() {
      for (const { store } of entries.values()) {
        store.then(
          (opened) => opened.interrupt(),
          () => undefined,
        )
      }
    },
    async close() {
      await Promise.all([...entries].map(([projectId, entry]) => close(projectId, entry)))
    },
  }
}
