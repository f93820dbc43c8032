import { noop } from '../../noop.ts'
import type { EventStore } from './event-store.ts'
import { StoreOpeningError } from './store-opening-error.ts'

/** The stores of all projects. A store is opened at its first use; the least recently used stores are closed. */
export interface EventStores {
  /**
   * Calls `use` with a project's store, which stays open at least until `use` has settled.
   *
   * @param brief Whether `use`, which writes a few events or only looks, gets a store that answers no question and is closed at once, unless
   * the project's store is open: `ifFull` when `maxOpen` stores are open, so that many projects with few events do not close the stores of
   * others. Default: `never`.
   * @param openTimeoutMs After this time, it rejects with `StoreOpeningError` if the store is still opening. The opening continues, and
   * later calls wait for the same one. Default: no limit.
   */
  with<Result>(
    projectId: number,
    use: (store: EventStore) => Promise<Result>,
    options?: { readonly openTimeoutMs?: number; readonly brief?: 'never' | 'ifFull' | 'always' },
  ): Promise<Result>
  /**
   * Closes a project's store after a failure; the next use opens it again. A store that is opening is left alone.
   *
   * @param failed Nothing is done if the project's store is another one by now. Default: the project's store.
   */
  reopen(projectId: number, failed?: EventStore): Promise<void>
  /** Interrupts the running queries of all open stores, which refuse new ones. */
  interrupt(): void
  close(): Promise<void>
}

interface OpenStore {
  readonly store: Promise<EventStore>
  /** A store that failed to open stays here until a use has got its error. */
  state: 'opening' | 'open' | 'failed'
  userCount: number
}

/** @param maxOpen maximum number of open stores; exceeded only while more stores are in use. */
export const createEventStores = (
  open: (projectId: number, isBrief: boolean) => Promise<EventStore>,
  maxOpen: number,
): EventStores => {
  // In the order of last use: a Map iterates in insertion order.
  const openStores = new Map<number, OpenStore>()
  // A file must not be opened while its previous instance closes, and never again if that instance failed to close.
  const closingStores = new Map<number, Promise<void>>()
  // The brief uses of a project, one after the other; resolved when the last one has ended.
  const briefUses = new Map<number, Promise<void>>()
  // After a failure they are opened by themselves until that succeeds, for the reason and so that one broken file cannot stop others.
  const failedBriefly = new Set<number>()

  const closeStore = async (projectId: number, openStore: OpenStore): Promise<void> => {
    openStores.delete(projectId)
    const closed = openStore.store.then((store) => store.close(), noop)
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
      // To close one that is opening would mean to wait for it.
      if (openStore.userCount === 0 && openStore.state !== 'opening') await closeStore(projectId, openStore)
    }
  }

  const startOpening = (projectId: number): OpenStore => {
    const store = (closingStores.get(projectId) ?? Promise.resolve()).then(() => open(projectId, false))
    const openStore: OpenStore = { store, state: 'opening', userCount: 0 }
    store.then(
      () => (openStore.state = 'open'),
      () => (openStore.state = 'failed'),
    )
    return openStore
  }

  const useBriefly = async <Result>(
    projectId: number,
    use: (store: EventStore) => Promise<Result>,
    openTimeoutMs: number | undefined,
  ): Promise<Result> => {
    const opening = Promise.resolve(closingStores.get(projectId)).then(() => open(projectId, true))
    // Until it is closed, also if it opens too late for this use.
    const ended = createSignal()
    briefUses.set(projectId, ended.promise)
    const close = async (): Promise<void> => {
      try {
        await (await opening).close()
      } finally {
        if (briefUses.get(projectId) === ended.promise) briefUses.delete(projectId)
        ended.set()
      }
    }
    let isOpen = false
    try {
      const store = await waitAtMost(projectId, opening, openTimeoutMs)
      isOpen = true
      try {
        return await use(store)
      } finally {
        await close()
      }
    } catch (error) {
      failedBriefly.add(projectId)
      if (!isOpen) void close().catch(noop)
      throw error
    }
  }

  return {
    async with(projectId, use, { openTimeoutMs, brief = 'never' } = {}) {
      for (let ended = briefUses.get(projectId); ended !== undefined; ended = briefUses.get(projectId))
        await waitAtMost(projectId, ended, openTimeoutMs)
      const mayBeBrief = brief === 'always' || (brief === 'ifFull' && openStores.size >= maxOpen)
      if (mayBeBrief && !openStores.has(projectId) && !failedBriefly.has(projectId))
        return useBriefly(projectId, use, openTimeoutMs)
      const openStore = openStores.get(projectId) ?? startOpening(projectId)
      openStores.delete(projectId)
      openStores.set(projectId, openStore)
      openStore.userCount += 1
      try {
        const result = await use(await waitForStore(projectId, openStore, openTimeoutMs))
        failedBriefly.delete(projectId)
        return result
      } catch (error) {
        // A store that failed to open is forgotten, so that the next use opens it again.
        if (openStore.state === 'failed' && openStores.get(projectId) === openStore) openStores.delete(projectId)
        throw error
      } finally {
        openStore.userCount -= 1
        await closeIdle()
      }
    },
    async reopen(projectId, failed) {
      const openStore = openStores.get(projectId)
      if (openStore === undefined || openStore.state === 'opening') return
      if (failed === undefined || (openStore.state === 'open' && (await openStore.store) === failed))
        await closeStore(projectId, openStore)
    },
    interrupt() {
      for (const { store } of openStores.values()) {
        store.then((openedStore) => openedStore.interrupt(), noop)
      }
    },
    async close() {
      await Promise.all(briefUses.values())
      await Promise.all([...openStores].map(([projectId, openStore]) => closeStore(projectId, openStore)))
    },
  }
}

const createSignal = (): { readonly promise: Promise<void>; set(): void } => {
  let set: () => void = noop
  const promise = new Promise<void>((resolve) => (set = resolve))
  return { promise, set: () => set() }
}

const waitForStore = async (
  projectId: number,
  { store, state }: OpenStore,
  timeoutMs: number | undefined,
): Promise<EventStore> => (state === 'opening' ? waitAtMost(projectId, store, timeoutMs) : store)

/** Rejects with `StoreOpeningError` after the time, if there is one. */
const waitAtMost = async <Result>(
  projectId: number,
  result: Promise<Result>,
  timeoutMs: number | undefined,
): Promise<Result> => {
  if (timeoutMs === undefined) return result
  const settled = result.then(noop, noop)
  // By hand: the agent's `withTimeout` needs a clock of the agent's ports, which the service does not have.
  let timer: NodeJS.Timeout | undefined
  const timeout = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new StoreOpeningError(projectId, settled)), timeoutMs)
  })
  try {
    return await Promise.race([result, timeout])
  } finally {
    clearTimeout(timer)
  }
}
