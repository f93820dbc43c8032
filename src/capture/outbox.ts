import { callAll } from '../lib/call-all.ts'
import { callHook, forgetCauses, noteCauses } from '../lib/call-hook.ts'
import { callSafely } from '../lib/call-safely.ts'
import type { EventStore, StoreRecord } from '../port/event-store.ts'
import { haveSameJson } from '../lib/have-same-json.ts'
import { createHostMark } from '../lib/host-mark.ts'
import type { KeyValue } from '../port/key-value.ts'
import type { Beacon, Send } from '../port/send.ts'
import type { WhenAtRest } from '../port/when-at-rest.ts'
import { withTimeout } from '../lib/with-timeout.ts'
import type { CreateDelivery, DeliveryOptions } from './delivery.ts'
import type { DropReason } from './drop-reason.ts'
import type { Lz64Encoder } from './encode.ts'
import { createEventQueue } from './event-queue.ts'
import { createLateDelivery } from './late-delivery.ts'
import type { SendReport } from './post-events.ts'
import { dropBeyondLimits } from './queue-limits.ts'
import { charactersOfKey, EVENTS_FROM, EVENTS_TO, STATE_RECORD_KEY } from './record-key.ts'
import { createResendDelay } from './resend-delay.ts'
import { createRetryTime } from './retry-time.ts'
import { SPILL_PREFIX } from './spill.ts'
import { startOutbox } from './start-outbox.ts'
import type { StartPorts } from './start-outbox.ts'
import type { StateStore } from './state-store.ts'
import type { Status } from './status.ts'
import { createUnload } from './unload.ts'
import { createWriteBehind } from './write-behind.ts'

export interface OutboxOptions extends DeliveryOptions {
  readonly onSend?: ((report: SendReport) => void) | undefined
}

export interface OutboxPorts extends StartPorts {
  readonly storage: KeyValue
  readonly newId: (now: number) => string
  /** In [0, 1). */
  readonly random: () => number
  /**
   * Opens the shared store. When it rejects, events stay in memory. Resolves with undefined when nothing may be stored beyond the page.
   *
   * @param onLost Must be called when the store is deleted while it is open.
   */
  readonly openStore: (onLost: () => void) => Promise<EventStore | undefined>
  /** Returns the code that delivers the events, or loads it. Rejects when it could not be loaded; a later call tries again. */
  readonly loadDelivery: () => CreateDelivery | Promise<CreateDelivery>
  readonly whenAtRest: WhenAtRest
  readonly send: Send
  readonly beacon: Beacon
  /** Compresses where the delivery's compressor fails or would end too late. Default: such bodies are plain JSON. */
  readonly lz64?: Lz64Encoder | undefined
  /** While true, nothing is sent. */
  readonly isOptedOut: () => boolean
  /** Compressions that may be used; undefined while the service has not announced any. */
  readonly supportedCompression: () => readonly string[] | undefined
}

/** Keeps events until they are delivered, also while the page is hidden, left or restored. */
export interface Outbox {
  isClosed(): boolean
  /** Takes an event as its final JSON. */
  accept(json: string): void
  /** Adds the state's durable copy to the transaction of this event-loop turn, and sends it to the other tabs. */
  persist(json: string): void
  /**
   * Starts storage and delivery, and returns a function that removes the listeners of platform events.
   *
   * @param stateStore Persists through this outbox, so it is created later.
   */
  start(stateStore: StateStore): () => void
  getStatus(): Status
  flush(): Promise<void>
  /** Refuses new events, delivers the queue within `timeoutMs`, and ends all work. */
  shutdown(timeoutMs: number): Promise<void>
}

/**
 * The second half of the event pipeline: from an event's final JSON to the service.
 *
 * @param onDrop Reports an event, as JSON, that will never be delivered.
 */
export const createOutbox = (
  options: OutboxOptions,
  ports: OutboxPorts,
  onDrop: (json: string, reason: DropReason) => void,
): Outbox => {
  const { clock, logger, storage } = ports
  const tab = ports.newId(clock.now()).slice(-6)
  let isClosed = false
  let status: Status | undefined

  const store = createWriteBehind(
    // The deleted store still reports earlier writes as successful. Rewriting waits for them, so that the new store gets every event.
    () => ports.openStore(() => void store.whenWritten().then(queue.rewrite)),
    clock,
    (error) => logger.warn('storage_unavailable:', error),
  )
  const queue = createEventQueue(store, clock, tab)
  const sendPorts = {
    ...ports,
    resendDelay: createResendDelay(storage, 'left'),
    retryTime: createRetryTime(storage, 'next'),
    plainHost: createHostMark(storage, 'plain', options.url),
    onDrop,
    onSend(report: SendReport, events: readonly string[]) {
      logger.debug('sent', report)
      callHook(options.onSend, () => callSafely(logger, 'onSend', () => options.onSend?.(report)), events)
      if (report.status === 200) forgetCauses(events)
    },
  }
  const unload = createUnload(options, sendPorts, store, SPILL_PREFIX + tab.slice(-1))
  const delivery = createLateDelivery(options, ports, queue)

  const leave = (records: readonly StoreRecord[], isPersisted?: boolean): void => {
    if (store.isOpen()) queue.startWriting()
    unload.leave(records, delivery.keysInFlight(), isPersisted)
  }

  /** Keeps the limits of the queue in a page whose delivery cannot be loaded, roughly: in characters. */
  const trimStore = async (): Promise<void> => {
    const keys = await store.keys(EVENTS_FROM, EVENTS_TO)
    let characters = 0
    for (const key of keys) characters += charactersOfKey(key)
    await dropBeyondLimits(store, queue, options, keys, keys.length, characters, charactersOfKey, (json) =>
      onDrop(json, 'queue_overflow'),
    )
  }

  return {
    isClosed: () => isClosed,
    accept(json) {
      logger.debug('captured', json)
      noteCauses(json)
      const record = queue.add(json)
      if (unload.hasLeft()) leave([record])
      delivery.countEvent(record)
    },
    persist(json) {
      logger.debug('state', json)
      store.put(STATE_RECORD_KEY, json)
      // Tabs that use session storage share only this copy. A tab with an older state must not overwrite it.
      if (store.isReliable()) delivery.post([STATE_RECORD_KEY, json])
    },
    start(stateStore) {
      const { whenWriting, whenOpen, refresh, stop } = startOutbox(
        ports,
        stateStore,
        store,
        queue,
        unload.comeBack,
        (isPersisted) => leave(queue.unacknowledged(), isPersisted),
      )
      let isStarting = true
      delivery.start(
        (create) => {
          // What other tabs have told before, this one has not heard.
          if (!isStarting) refresh()
          return create(options, { ...sendPorts, queue, store, stateStore, unload, whenWriting, whenOpen })
        },
        () => {
          leave(queue.unacknowledged())
          unload.comeBack()
        },
        () => void trimStore(),
      )
      isStarting = false
      return callAll([stop, delivery.stop])
    },
    getStatus() {
      const newStatus = { waitingEvents: delivery.count(), ...delivery.status() }
      if (!haveSameJson(newStatus, status)) status = newStatus
      return status!
    },
    flush: () => delivery.flush(),
    async shutdown(timeoutMs) {
      isClosed = true
      await withTimeout(clock, timeoutMs, delivery.flush(true).then(store.whenWritten))
      delivery.stop()
      const undelivered = queue.unacknowledged()
      if (undelivered.length) {
        logger.warn('events not delivered:', undelivered.length)
        unload.spill(undelivered, new Set())
      }
      store.close()
    },
  }
}
