import type { EventStore } from './event-store.ts'

/** The stores of all projects. A store is opened at its first use; the least recently used stores are closed. */
export interface EventStores {
  /** Calls `use` with a project's store, which stays open at least until `use` has settled. */
  with<Result>(projectId: number, use: (store: EventStore) => Promise<Result>): Promise<Result>
  /** Closes a project's store after a failure; the next use opens it again. */
  reopen(projectId: number): Promise<void>
  /** Interrupts the running queries of all open stores, which refuse new ones. */
  interrupt(): void
  close(): Promise<void>
}

interface OpenStore {
  readonly store: Promise<EventStore>
  userCount: number
}

/** @param maxOpen maximum number of open stores; exceeded only while more stores are in use. */
export const createEventStores = (open: (projectId: number) => Promise<EventStore>, maxOpen: number): EventStores => {
  // In the order of last use: a Map iterates in insertion order.
  const openStores = new Map<number, OpenStore>()
  // A file must not be opened while its previous instance closes, and never again if that instance failed to close.
  const closingStores = new Map<number, Promise<void>>()

  const closeStore = async (projectId: number, openStore: OpenStore): Promise<void> => {
    openStores.delete(projectId)
    const closed = openStore.store.then(
      (store) => store.close(),
      () => undefined,
    )
    closingStores.set(projectId, closed)
    try {
      await closed
    } catch {
      // The rejected promise stays in `closingStores`, so that later uses fail with the reason.
      return
    }
    if (closingStores.get(projectId) === closed) closingStores.delete(projectId)
  }

  const closeIdle = async (): Promise<void> => {
    for (const [projectId, openStore] of openStores) {
      if (openStores.size <= maxOpen) return
      if (openStore.userCount === 0) await closeStore(projectId, openStore)
    }
  }

  return {
    async with(projectId, use) {
      const openStore = openStores.get(projectId) ?? {
        store: (closingStores.get(projectId) ?? Promise.resolve()).then(() => open(projectId)),
        userCount: 0,
      }
      openStores.delete(projectId)
      openStores.set(projectId, openStore)
      openStore.userCount += 1
      try {
        return await use(await openStore.store)
      } catch (error) {
        // A store that failed to open is forgotten, so that the next use opens it again.
        const isOpen = await openStore.store.then(
          () => true,
          () => false,
        )
        if (!isOpen && openStores.get(projectId) === openStore) openStores.delete(projectId)
        throw error
      } finally {
        openStore.userCount -= 1
        await closeIdle()
      }
    },
    async reopen(projectId) {
      const openStore = openStores.get(projectId)
      if (openStore !== undefined) await closeStore(projectId, openStore)
    },
    interrupt() {
      for (const { store } of openStores.values()) {
        store.then(
          (openedStore) => openedStore.interrupt(),
          () => undefined,
        )
      }
    },
    async close() {
      await Promise.all([...openStores].map(([projectId, openStore]) => closeStore(projectId, openStore)))
    },
  }
}
