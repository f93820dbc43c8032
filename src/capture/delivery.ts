import { callAll } from '../lib/call-all.ts'
import type { Channel } from '../port/channel.ts'
import type { Compressor } from '../port/compressor.ts'
import type { StoreRecord } from '../port/event-store.ts'
import type { KeyValue } from '../port/key-value.ts'
import type { Lifecycle } from '../port/lifecycle.ts'
import type { Lock } from '../port/lock.ts'
import type { EventQueue } from './event-queue.ts'
import type { QueueLimits } from './queue-limits.ts'
import { STATE_RECORD_KEY } from './record-key.ts'
import { createSharedQueue } from './shared-queue.ts'
import { readSpill, shrinkSpill, SPILL_KEYS } from './spill.ts'
import type { StateStore } from './state-store.ts'
import { parseState } from './state.ts'
import { createTabDelivery } from './tab-delivery.ts'
import type { TabDelivery, TabDeliveryOptions, TabDeliveryPorts } from './tab-delivery.ts'
import type { Unload } from './unload.ts'
import type { WriteBehind } from './write-behind.ts'

export interface DeliveryOptions extends TabDeliveryOptions, QueueLimits {
  /** URL of the service without a trailing slash. */
  readonly host: string
}

/** What only the delivery needs of a platform. */
export interface DeliveryPlatform {
  readonly compressor: Compressor
  readonly lock: Lock
  readonly channel: Channel
}

/** What the delivery gets from the outbox, which has kept the events until now. */
export interface DeliveryPorts extends Omit<
  TabDeliveryPorts,
  'queue' | 'whenWritten' | 'canDeliver' | 'isOnline' | keyof DeliveryPlatform
> {
  /** The events of this tab. */
  readonly queue: Pick<EventQueue, 'forget' | 'keys' | 'remove' | 'restore' | 'size' | 'unacknowledged'>
  readonly store: Pick<WriteBehind, 'isReliable' | 'keys' | 'read' | 'whenWritten'>
  readonly stateStore: Pick<StateStore, 'refresh'>
  readonly unload: Pick<Unload, 'hasLeft'>
  readonly isOptedOut: () => boolean
  readonly storage: KeyValue
  /** Subscribes to changes of `storage` by other tabs, and returns the unsubscribe function. */
  readonly onStorageChange: (listener: (key: string) => void) => () => void
  readonly lifecycle: Lifecycle
  /** Resolves when events are written to the store. False: it has not opened yet. */
  readonly whenWriting: Promise<boolean>
  /** Resolves when the store has opened, or failed to. */
  readonly whenOpen: Promise<unknown>
}

/** Delivers the events of all tabs, and talks to the other tabs. */
export interface Delivery extends Pick<TabDelivery, 'flush' | 'wake' | 'schedule' | 'status' | 'keysInFlight'> {
  /** Counts an event of this tab. */
  countEvent(record: StoreRecord): void
  /** Number of waiting events of all tabs, as far as this tab knows. */
  count(): number
  /** Sends a message to the other tabs. */
  post: Channel['post']
  /** Ends all work. Events stay where they are. */
  stop(): void
}

/** Starts to deliver: first what this tab and earlier pages have left, then what is added. */
export type CreateDelivery = (options: DeliveryOptions, ports: DeliveryPorts) => Delivery

export const createDelivery = (
  options: DeliveryOptions,
  ports: DeliveryPorts,
  platform: DeliveryPlatform,
): Delivery => {
  const { queue, store, stateStore, unload, storage, lifecycle } = ports
  const { channel, lock } = platform
  const sharedQueue = createSharedQueue(queue, store, ports.clock, options, lock, (json) =>
    ports.onDrop(json, 'queue_overflow'),
  )
  const tabDelivery = createTabDelivery(options, {
    ...ports,
    ...platform,
    queue: sharedQueue,
    whenWritten: store.whenWritten,
    // A page that was left cannot read responses.
    canDeliver: () => !unload.hasLeft() && !ports.isOptedOut(),
    isOnline: lifecycle.isOnline,
  })

  /** Moves the spills of earlier pages into the store. */
  const restoreSpills = async (): Promise<void> => {
    const spills = SPILL_KEYS.map((key) => ({ key, records: readSpill(storage, key) }))
    const spilled = spills.flatMap(({ records }) => records)
    if (spilled.length) {
      sharedQueue.restore(spilled)
      await store.whenWritten()
      // If the page was left during the write and the store refused the events, the page has spilled them again.
      if (!unload.hasLeft())
        for (const { key, records } of spills) if (records.length) shrinkSpill(storage, key, records)
    }
    await sharedQueue.recount()
    // Events of this page alone wait for more, as `flushInterval` says: the first seconds of a page belong to the page.
    if (spilled.length || sharedQueue.count() > queue.size()) tabDelivery.wake()
  }

  const takeLeftovers = async (): Promise<void> => {
    const isOpen = await ports.whenWriting
    await restoreSpills()
    if (isOpen) return
    await ports.whenOpen
    await restoreSpills()
  }

  const stopListening = callAll([
    channel.onMessage((message) =>
      message[0] === STATE_RECORD_KEY ? stateStore.refresh(parseState(message[1])) : sharedQueue.forget(message),
    ),
    // A page may spill after the next one has started.
    ports.onStorageChange((key) => void (SPILL_KEYS.includes(key) && restoreSpills())),
    lifecycle.onWake(() => {
      void sharedQueue.recount()
      tabDelivery.wake()
    }),
    lifecycle.onHidden(tabDelivery.wake),
    lifecycle.onUnload(tabDelivery.releaseLock),
  ])
  void takeLeftovers().catch((error: unknown) => ports.logger.warn('start failed:', error))

  return {
    ...tabDelivery,
    countEvent(record) {
      sharedQueue.countAdded(record)
      tabDelivery.countEvent()
    },
    count: sharedQueue.count,
    post: channel.post,
    stop() {
      tabDelivery.stop()
      stopListening()
    },
  }
}
