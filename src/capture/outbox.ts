import { callAll } from '../port/call-all.ts'
import { callSafely } from '../port/call-safely.ts'
import type { Channel } from '../port/channel.ts'
import type { Clock } from '../port/clock.ts'
import type { Compressor } from '../port/compressor.ts'
import type { EventStore, StoreRecord } from '../port/event-store.ts'
import type { KeyValue } from '../port/key-value.ts'
import type { Lifecycle } from '../port/lifecycle.ts'
import type { Lock } from '../port/lock.ts'
import type { Logger } from '../port/logger.ts'
import type { Beacon, Send } from '../port/send.ts'
import { withTimeout } from '../port/with-timeout.ts'
import { createBatchBody } from './batch.ts'
import type { SendReport } from './post-events.ts'
import type { DropReason } from './drop-reason.ts'
import { encodeSync } from './encode.ts'
import { createEventQueue } from './event-queue.ts'
import type { QueueLimits } from './event-queue.ts'
import { STATE_RECORD_KEY } from './record-key.ts'
import { createResendDelay } from './resend-delay.ts'
import { createRetryTime } from './retry-time.ts'
import { sendBeacon } from './send-beacon.ts'
import type { UnloadTransfer } from './send-beacon.ts'
import { readSpill, shrinkSpill, SPILL_KEYS, SPILL_PREFIX, writeSpill } from './spill.ts'
import type { StateStore } from './state-store.ts'
import type { Status } from './status.ts'
import { parseState, STATE_STORAGE_KEY } from './state.ts'
import type { State } from './state.ts'
import { createTabDelivery } from './tab-delivery.ts'
import type { TabDeliveryOptions } from './tab-delivery.ts'
import { createWriteBehind } from './write-behind.ts'

/** Maximum wait for the stored identity before the first events are written. */
const MAX_RECONCILE_MS = 1_000

export interface OutboxOptions extends TabDeliveryOptions, QueueLimits {
  readonly onSend?: ((report: SendReport) => void) | undefined
}

export interface OutboxPorts {
  readonly clock: Clock
  readonly newId: (now: number) => string
  /** In [0, 1). */
  readonly random: () => number
  readonly storage: KeyValue
  /** Subscribes to changes of `storage` by other tabs, and returns the unsubscribe function. */
  readonly onStorageChange: (listener: (key: string) => void) => () => void
  /**
   * Opens the shared store. When it rejects, events stay in memory. Resolves with undefined when nothing may be stored beyond the page.
   *
   * @param onLost Must be called when the store is deleted while it is open.
   */
  readonly openStore: (onLost: () => void) => Promise<EventStore | undefined>
  readonly lock: Lock
  readonly channel: Channel
  readonly lifecycle: Lifecycle
  readonly send: Send
  readonly beacon: Beacon
  readonly compressor: Compressor
  readonly logger: Logger
  /** Compressions that may be used; undefined while the service has not announced any. */
  readonly supportedCompression: () => readonly string[] | undefined
  /** Called when the user may have changed without a call of this page: in another tab, or by a stored copy that was read late. */
  readonly onIdentityChange: (source: 'tab' | 'store') => void
}

/** Keeps events until they are delivered, also while the page is hidden, left or restored. */
export interface Outbox {
  isClosed(): boolean
  /** Takes an event as its final JSON. */
  accept(json: string): void
  /** Adds the state's durable copy to the transaction of this event-loop turn, and sends it to the other tabs. */
  persist(json: string): void
  /** Starts storage and delivery, and returns a function that removes the listeners of platform events. */
  start(): () => void
  getStatus(): Status
  flush(): Promise<void>
  /** Refuses new events, delivers the queue within `timeoutMs`, and ends all work. */
  shutdown(timeoutMs: number): Promise<void>
}

/**
 * The second half of the event pipeline: from an event's final JSON to the service.
 *
 * @param stateStore Returns the state store. It is created later, because it persists through this outbox.
 * @param drop Reports an event, as JSON, that will never be delivered.
 */
export const createOutbox = (
  options: OutboxOptions,
  ports: OutboxPorts,
  stateStore: () => StateStore,
  drop: (json: string, reason: DropReason) => void,
): Outbox => {
  const { clock, lifecycle, logger, storage } = ports
  const tab = ports.newId(clock.now()).slice(-6)
  const spillKey = SPILL_PREFIX + tab.slice(-1)
  let isClosed = false
  // Set from the unload of the page until it is visible again. No event-loop turn may follow, so a new event is sent or spilled at once.
  let transfer: UnloadTransfer | undefined
  // True when the browser may restore the page from the back/forward cache: events in memory are not lost yet.
  let canReturn = false

  const store = createWriteBehind(
    // The deleted store still reports earlier writes as successful. Rewriting waits for them, so that the new store gets every event.
    () => ports.openStore(() => void store.whenWritten().then(queue.rewrite)),
    clock,
    (error) => logger.warn('storage_unavailable:', error),
  )
  const onSend = (report: SendReport): void => callSafely(logger, 'onSend', () => options.onSend?.(report))
  const isOptedOut = (): boolean => stateStore().current().isOptedOut

  const queue = createEventQueue(store, clock, tab, options, ports.lock, (json) => drop(json, 'queue_overflow'))
  const resendDelay = createResendDelay(storage, 'left')
  const retryTime = createRetryTime(storage, 'next')
  const delivery = createTabDelivery(options, {
    ...ports,
    resendDelay,
    queue,
    whenWritten: store.whenWritten,
    retryTime,
    // A page that was left cannot read responses.
    canDeliver: () => !transfer && !isOptedOut() && lifecycle.isOnline(),
    onAcknowledged: ports.channel.post,
    onDrop: drop,
    onSend,
  })

  const readStoredState = async (): Promise<State | undefined> => {
    const [record] = await store.read(STATE_RECORD_KEY, `${STATE_RECORD_KEY}~`, 1)
    return parseState(record?.value)
  }

  const open = async (): Promise<void> => {
    const cancel = clock.after(MAX_RECONCILE_MS, () => {
      queue.startWriting()
      void restoreSpills()
    })
    await store.whenOpen()
    const stored = await readStoredState()
    cancel()
    const replay = stateStore().reconcile(stored)
    queue.startWriting(replay && ((json) => (replay.events.has(json) ? replay.events.get(json) : json)))
    if (replay) ports.onIdentityChange('store')
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
      if (!transfer) for (const { key, records } of spills) if (records.length) shrinkSpill(storage, key, records)
    }
    await queue.recount()
    delivery.wake()
  }

  /** Last synchronous work of the page: starts all writes, sends as many events as a beacon accepts, and spills unstored events. */
  const unload = (unacknowledged: readonly StoreRecord[]): void => {
    // A keepalive request outlives the page like a beacon, and the page cannot read its response either.
    transfer ??= { keys: delivery.keysInFlight(), bytes: 0 }
    if (store.isOpen()) queue.startWriting()
    store.writeNow()
    const now = clock.now()
    const sentKeys = new Set([...transfer.keys, ...resendDelay.keys(now)])
    // During a Retry-After, send only events that exist nowhere but in this page.
    const isRetryAfter = retryTime.remainingMs(now, true) > 0
    const { url } = options
    transfer = sendBeacon(
      isOptedOut()
        ? []
        : unacknowledged.filter(({ key }) => !sentKeys.has(key) && !(isRetryAfter && store.isStored(key))),
      transfer,
      (batch) => {
        const events = batch.map((record) => record.value)
        return encodeSync(createBatchBody(options, events, now), ports.supportedCompression())
      },
      ({ body, contentType, sizes }, { length: events }) => {
        const isAccepted = ports.beacon(url, body, contentType)
        if (isAccepted) {
          const about = { events, ...sizes }
          logger.debug('request', url, undefined, now, about)
          onSend({ url, status: undefined, ...about })
        }
        return isAccepted
      },
    )
    if (transfer.keys.length) resendDelay.start(now, transfer.keys)
    // The writes above are not enough: the end of the page aborts a transaction that waits for another one.
    spill(unacknowledged, new Set(transfer.keys))
  }

  /** Spills the events that the store does not have, for the next page. Events that no request contains come first. */
  const spill = (unacknowledged: readonly StoreRecord[], sentKeys: ReadonlySet<string>): void => {
    const unstored = unacknowledged
      .filter(({ key }) => !store.isStored(key))
      .sort((a, b) => Number(sentKeys.has(a.key)) - Number(sentKeys.has(b.key)))
    if (!unstored.length) return
    for (const { key, value } of writeSpill(storage, spillKey, unstored)) {
      if (!canReturn && !store.isReliable() && !sentKeys.has(key)) drop(value, 'storage_unavailable')
    }
    // Runs only if the page is restored.
    void store.whenWritten().then(() => store.isReliable() && shrinkSpill(storage, spillKey, unstored))
  }

  const start = (): (() => void) => {
    const unsubscribe = callAll([
      ports.channel.onMessage((message) =>
        message[0] === STATE_RECORD_KEY ? stateStore().refresh(parseState(message[1])) : queue.forget(message),
      ),
      ports.onStorageChange((key) => {
        // A page may spill after the next one has started.
        if (SPILL_KEYS.includes(key)) void restoreSpills()
        if (key === STATE_STORAGE_KEY) stateStore().refresh()
      }),
      lifecycle.onWake((cause) => {
        if (cause !== 'online') {
          transfer = undefined
          canReturn = false
        }
        stateStore().refresh()
        void readStoredState().then(stateStore().refresh)
        void queue.recount()
        delivery.wake()
      }),
      lifecycle.onHidden(delivery.wake),
      lifecycle.onUnload((isPersisted) => {
        canReturn = isPersisted
        unload(queue.unacknowledged())
        delivery.releaseLock()
      }),
    ])
    clock.defer(() => void open().catch((error: unknown) => logger.warn('start failed:', error)))
    return unsubscribe
  }

  return {
    isClosed: () => isClosed,
    accept(json) {
      const record = queue.add(json)
      if (transfer) unload([record])
      delivery.countEvent()
    },
    persist(json) {
      store.put(STATE_RECORD_KEY, json)
      // Tabs that use session storage share only this copy. A tab with an older state must not overwrite it.
      if (store.isReliable()) ports.channel.post([STATE_RECORD_KEY, json])
    },
    start,
    getStatus: () => ({ waitingEvents: queue.count(), ...delivery.status() }),
    flush: () => delivery.flush(),
    async shutdown(timeoutMs) {
      isClosed = true
      await withTimeout(clock, timeoutMs, delivery.flush(true).then(store.whenWritten))
      delivery.stop()
      const undelivered = queue.unacknowledged()
      if (undelivered.length) {
        logger.warn(`shutdown: ${undelivered.length} events not delivered`)
        spill(undelivered, new Set())
      }
      store.close()
    },
  }
}
