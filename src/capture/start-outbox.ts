import { callAll } from '../lib/call-all.ts'
import type { Clock } from '../port/clock.ts'
import type { Lifecycle } from '../port/lifecycle.ts'
import type { Logger } from '../port/logger.ts'
import { noop } from '../lib/noop.ts'
import type { EventQueue } from './event-queue.ts'
import { STATE_RECORD_KEY } from './record-key.ts'
import type { StateStore } from './state-store.ts'
import { parseState, STATE_STORAGE_KEY } from './state.ts'
import type { State } from './state.ts'
import type { WriteBehind } from './write-behind.ts'

/** Maximum wait for the stored identity before the first events are written. */
const MAX_RECONCILE_MS = 1_000

export interface StartPorts {
  readonly clock: Clock
  /** Subscribes to changes of the synchronous storage by other tabs, and returns the unsubscribe function. */
  readonly onStorageChange: (listener: (key: string) => void) => () => void
  readonly lifecycle: Lifecycle
  readonly logger: Logger
  /** Called when the user may have changed without a call of this page: in another tab, or by a stored copy that was read late. */
  readonly onIdentityChange: (source: 'tab' | 'store') => void
}

/** The start of the store. */
interface OutboxStart {
  /** Resolves when events are written to the store. False: it has not opened yet. */
  readonly whenWriting: Promise<boolean>
  /** Resolves when the store has opened and the first transaction has ended, or there is no store. */
  readonly whenOpen: Promise<unknown>
  /** Adopts a newer state that another tab has stored. */
  readonly refresh: () => void
  /** Removes the listeners. */
  readonly stop: () => void
}

/**
 * Opens the store in a later turn, and compares the state with its durable copy. Subscribes to the platform at once.
 *
 * @param comeBack Called when the page is visible again, or restored.
 * @param leave Called when the page is left.
 */
export const startOutbox = (
  { clock, onStorageChange, lifecycle, logger, onIdentityChange }: StartPorts,
  stateStore: StateStore,
  store: WriteBehind,
  queue: EventQueue,
  comeBack: () => void,
  leave: (isPersisted: boolean) => void,
): OutboxStart => {
  const readStoredState = async (): Promise<State | undefined> => {
    const [record] = await store.read(STATE_RECORD_KEY, `${STATE_RECORD_KEY}~`, 1)
    return parseState(record?.[1])
  }

  let setWriting: (isOpen: boolean) => void = noop
  const whenWriting = new Promise<boolean>((resolve) => {
    setWriting = resolve
  })

  const open = async (): Promise<void> => {
    const cancel = clock.after(MAX_RECONCILE_MS, () => {
      queue.startWriting()
      setWriting(false)
    })
    await store.open(STATE_RECORD_KEY, (stored) => {
      cancel()
      const replay = stateStore.reconcile(parseState(stored))
      queue.startWriting(replay && ((json) => (replay.events.has(json) ? replay.events.get(json) : json)))
      if (replay) onIdentityChange('store')
      setWriting(true)
    })
  }

  const whenOpen = new Promise<void>((resolve) => {
    clock.defer(() => resolve(open().catch((error: unknown) => logger.warn('start failed:', error))))
  })
  const refresh = (): void => {
    stateStore.refresh()
    void readStoredState().then(stateStore.refresh)
  }
  const stop = callAll([
    onStorageChange((key) => {
      if (key === STATE_STORAGE_KEY) stateStore.refresh()
    }),
    lifecycle.onWake((cause) => {
      if (cause !== 'online') comeBack()
      refresh()
    }),
    lifecycle.onUnload(leave),
  ])
  return { whenWriting, whenOpen, refresh, stop }
}
