import { callHook, forgetCauses, noteCauses } from '../port/call-hook.ts'
import { callSafely } from '../port/call-safely.ts'
import type { Compressor } from '../port/compressor.ts'
import type { EventStore } from '../port/event-store.ts'
import { createHostMark } from '../port/host-mark.ts'
import { haveSameJson } from '../port/have-same-json.ts'
import type { Lock } from '../port/lock.ts'
import type { Beacon, Send } from '../port/send.ts'
import { withTimeout } from '../port/with-timeout.ts'
import type { DropReason } from './drop-reason.ts'
import type { Lz64Encoder } from './encode.ts'
import { createEventQueue } from './event-queue.ts'
import type { QueueLimits } from './event-queue.ts'
import type { SendReport } from './post-events.ts'
import { STATE_RECORD_KEY } from './record-key.ts'
import { createResendDelay } from './resend-delay.ts'
import { createRetryTime } from './retry-time.ts'
import { SPILL_PREFIX } from './spill.ts'
import { startOutbox } from './start-outbox.ts'
import type { StartPorts } from './start-outbox.ts'
import type { StateStore } from './state-store.ts'
import type { Status } from './status.ts'
import { createTabDelivery } from './tab-delivery.ts'
import type { TabDeliveryOptions } from './tab-delivery.ts'
import { createUnload } from './unload.ts'
import { createWriteBehind } from './write-behind.ts'

export interface OutboxOptions extends TabDeliveryOptions, QueueLimits {
  readonly onSend?: ((report: SendReport) => void) | undefined
}

export interface OutboxPorts extends StartPorts {
  readonly newId: (now: number) => string
  /** In [0, 1). */
  readonly random: () => number
  /**
   * Opens the shared store. When it rejects, events stay in memory. Resolves with undefined when nothing may be stored beyond the page.
   *
   * @param onLost Must be called when the store is deleted while it is open.
   */
  readonly openStore: (onLost: () => void) => Promise<EventStore | undefined>
  readonly lock: Lock
  readonly send: Send
  readonly beacon: Beacon
  readonly compressor: Compressor
  /** Compresses where `compressor` fails or would end too late. Default: such bodies are plain JSON. */
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
  const { clock, lifecycle, logger, storage, channel } = ports
  const tab = ports.newId(clock.now()).slice(-6)
  let isClosed = false
  let status: Status | undefined

  const store = createWriteBehind(
    // The deleted store still reports earlier writes as successful. Rewriting waits for them, so that the new store gets every event.
    () => ports.openStore(() => void store.whenWritten().then(queue.rewrite)),
    clock,
    (error) => logger.warn('storage_unavailable:', error),
  )
  const queue = createEventQueue(store, clock, tab, options, ports.lock, (json) => onDrop(json, 'queue_overflow'))
  const deliveryPorts = {
    ...ports,
    queue,
    whenWritten: store.whenWritten,
    resendDelay: createResendDelay(storage, 'left'),
    retryTime: createRetryTime(storage, 'next'),
    plainHost: createHostMark(storage, 'plain', options.url),
    // A page that was left cannot read responses.
    canDeliver: () => !unload.hasLeft() && !ports.isOptedOut(),
    isOnline: lifecycle.isOnline,
    onDrop,
    onSend(report: SendReport, events: readonly string[]) {
      logger.debug('sent', report)
      callHook(options.onSend, () => callSafely(logger, 'onSend', () => options.onSend?.(report)), events)
      if (report.status === 200) forgetCauses(events)
    },
  }
  const delivery = createTabDelivery(options, deliveryPorts)
  const unload = createUnload(options, deliveryPorts, store, delivery, SPILL_PREFIX + tab.slice(-1))

  return {
    isClosed: () => isClosed,
    accept(json) {
      logger.debug('captured', json)
      noteCauses(json)
      const record = queue.add(json)
      if (unload.hasLeft()) unload.leave([record])
      delivery.countEvent()
    },
    persist(json) {
      logger.debug('state', json)
      store.put(STATE_RECORD_KEY, json)
      // Tabs that use session storage share only this copy. A tab with an older state must not overwrite it.
      if (store.isReliable()) channel.post([STATE_RECORD_KEY, json])
    },
    start: (stateStore) => startOutbox(ports, stateStore, store, queue, delivery, unload),
    getStatus() {
      const newStatus = { waitingEvents: queue.count(), ...delivery.status() }
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
