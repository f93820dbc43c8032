import { callAll } from '../port/call-all.ts'
import type { Channel } from '../port/channel.ts'
import type { Clock } from '../port/clock.ts'
import type { KeyValue } from '../port/key-value.ts'
import type { Lifecycle } from '../port/lifecycle.ts'
import type { Logger } from '../port/logger.ts'
import type { EventQueue } from './event-queue.ts'
import { STATE_RECORD_KEY } from './record-key.ts'
import { readSpill, shrinkSpill, SPILL_KEYS } from './spill.ts'
import type { StateStore } from './state-store.ts'
import { parseState, STATE_STORAGE_KEY } from './state.ts'
import type { State } from './state.ts'
import type { TabDelivery } from './tab-delivery.ts'
import type { Unload } from './unload.ts'
import type { WriteBehind } from './write-behind.ts'

/** Maximum wait for the stored identity before the first events are written. */
const MAX_RECONCILE_MS = 1_000

export interface StartPorts {
  readonly clock: Clock
  readonly storage: KeyValue
  /** Subscribes to changes of `storage` by other tabs, and returns the unsubscribe function. */
  readonly onStorageChange: (listener: (key: string) => void) => () => void
  readonly channel: Channel
  readonly lifecycle: Lifecycle
  readonly logger: Logger
  /** Called when the user may have changed without a call of this page: in another tab, or by a stored copy that was read late. */
  readonly onIdentityChange: (source: 'tab' | 'store') => void
}

/**
 * Starts the work of an outbox: subscribes to the platform and to the other tabs at once, and opens the store in a later turn.
 *
 * @returns A function that removes the listeners.
 */
export const startOutbox = (
  { clock, storage, onStorageChange, channel, lifecycle, logger, onIdentityChange }: StartPorts,
  stateStore: StateStore,
  store: WriteBehind,
  queue: EventQueue,
  delivery: TabDelivery,
  unload: Unload,
): (() => void) => {
  const readStoredState = async (): Promise<State | undefined> => {
    const [record] = await store.read(STATE_RECORD_KEY, `${STATE_RECORD_KEY}~`, 1)
    return parseState(record?.[1])
  }

  const open = async (): Promise<void> => {
    const cancel = clock.after(MAX_RECONCILE_MS, () => {
      queue.startWriting()
      void restoreSpills()
    })
    await store.whenOpen()
    const stored = await readStoredState()
    cancel()
    const replay = stateStore.reconcile(stored)
    queue.startWriting(replay && ((json) => (replay.events.has(json) ? replay.events.get(json) : json)))
    if (replay) onIdentityChange('store')
    await restoreSpills()
  }

  /** Moves the spills of earlier pages into the store. */
  const restoreSpills = async (): Promise<void> => {
    const spills = SPILL_KEYS.map((key) => ({ key, records: readSpill(storage, key) }))
    const spilled = spills.flatMap(({ records }) => records)
    if (spilled.length) {
      queue.restore(spilled)
      await store.whenWritten()
      // If the page was left during the write and the store refused the events, the page has spilled them again.
      if (!unload.hasLeft())
        for (const { key, records } of spills) if (records.length) shrinkSpill(storage, key, records)
    }
    await queue.recount()
    // Events of this page alone wait for more, as `flushInterval` says: the first seconds of a page belong to the page.
    if (spilled.length || queue.count() > queue.unacknowledged().length) delivery.wake()
  }

  clock.defer(() => void open().catch((error: unknown) => logger.warn('start failed:', error)))
  return callAll([
    channel.onMessage((message) =>
      message[0] === STATE_RECORD_KEY ? stateStore.refresh(parseState(message[1])) : queue.forget(message),
    ),
    onStorageChange((key) => {
      // A page may spill after the next one has started.
      if (SPILL_KEYS.includes(key)) void restoreSpills()
      if (key === STATE_STORAGE_KEY) stateStore.refresh()
    }),
    lifecycle.onWake((cause) => {
      if (cause !== 'online') unload.comeBack()
      stateStore.refresh()
      void readStoredState().then(stateStore.refresh)
      void queue.recount()
      delivery.wake()
    }),
    lifecycle.onHidden(delivery.wake),
    lifecycle.onUnload((isPersisted) => {
      unload.leave(queue.unacknowledged(), isPersisted)
      delivery.releaseLock()
    }),
  ])
}
