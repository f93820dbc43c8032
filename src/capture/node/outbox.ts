import { callAll } from '../../lib/call-all.ts'
import type { Clock } from '../../port/clock.ts'
import type { Compressor } from '../../port/compressor.ts'
import type { EventLog } from '../../port/event-log.ts'
import { callHook, forgetCauses, noteCauses } from '../../lib/call-hook.ts'
import { createHostMark } from '../../lib/host-mark.ts'
import { keepEqual } from '../../lib/keep-equal.ts'
import { keepProcessAlive } from '../../lib/keep-process-alive.ts'
import type { KeyValue } from '../../port/key-value.ts'
import type { Logger } from '../../port/logger.ts'
import type { ProcessLifecycle } from '../../port/process-lifecycle.ts'
import type { Send } from '../../port/send.ts'
import { withTimeout } from '../../lib/with-timeout.ts'
import type { SendReport } from '../post-events.ts'
import type { DropReason } from '../drop-reason.ts'
import { createRetryTime } from '../retry-time.ts'
import type { Status } from '../status.ts'
import { callAsyncSafely } from './call-async-safely.ts'
import { createNodeDelivery } from './delivery.ts'
import type { NodeDeliveryOptions } from './delivery.ts'

/** How long an idle process is kept alive without a delivered event. */
const MAX_IDLE_HOLD_MS = 5_000

export interface NodeOutboxOptions extends NodeDeliveryOptions {
  readonly onSend: (report: SendReport) => void
}

export interface NodeOutboxPorts {
  readonly clock: Clock
  readonly log: EventLog
  /** Stores the back-off. */
  readonly storage: KeyValue
  readonly send: Send
  readonly compressor: Compressor
  readonly process: ProcessLifecycle
  /** In [0, 1). */
  readonly random: () => number
  readonly logger: Logger
  readonly isOptedOut: () => boolean
}

/** Keeps events until they are delivered, through outages and up to the end of the process. No method throws or rejects. */
export interface NodeOutbox {
  /** True after `shutdown()` was called. */
  isClosed(): boolean
  /** Queues an event, given as its final JSON. */
  accept(json: string): void
  /** Sends an event in its own request. Resolves when it is delivered, dropped, or queued because the request failed. */
  sendNow(json: string): Promise<void>
  getStatus(): Status
  /** Delivers queued events as `FlushScheduler.flush` does, and keeps the process alive until the flush ends. */
  flush(): Promise<void>
  /** Delivers at once: at start, and after an opt-in. */
  wake(): void
  /**
   * Refuses further events, delivers queued ones within `timeoutMs`, and ends all work. Reports the events that are lost. Later calls join
   * the first.
   */
  shutdown(timeoutMs: number): Promise<void>
}

/** @param drop Called for each event, as JSON, that will never be delivered. */
export const createNodeOutbox = (
  options: NodeOutboxOptions,
  ports: NodeOutboxPorts,
  drop: (json: string, reason: DropReason) => void,
): NodeOutbox => {
  const { clock, log, logger } = ports
  // Events of `sendNow` whose requests are in flight.
  const inFlight = new Map<string, Promise<void>>()
  let closing: Promise<void> | undefined
  let isEnded = false
  // When `deliverBeforeEnd` last started or aborted a delivery.
  let lastAttemptAt = -Infinity
  // When events were last delivered or dropped.
  let progressAt = 0
  // Set only while events are queued, so that an unused agent can be garbage-collected.
  let unsubscribe: (() => void) | undefined

  const delivery = createNodeDelivery(options, {
    ...ports,
    retryTime: createRetryTime(ports.storage, 'next'),
    plainHost: createHostMark(ports.storage, 'plain', options.url),
    canDeliver: () => !ports.isOptedOut(),
    onProgress: () => recordProgress(),
    onDrop: drop,
    onSend(report, events) {
      logger.debug('sent', report)
      callHook(options.onSend, () => callAsyncSafely(logger, 'onSend', () => options.onSend(report)), events)
      if (report.status === 200) forgetCauses(events)
    },
  })

  const subscribe = (): void => {
    if (unsubscribe) return
    unsubscribe = callAll([ports.process.onIdle(() => void deliverBeforeEnd()), ports.process.onExit(close)])
  }

  const recordProgress = (): void => {
    progressAt = clock.now()
    if (inFlight.size || log.size()) return
    lastAttemptAt = -Infinity
    unsubscribe?.()
    unsubscribe = undefined
  }

  /**
   * Runs when the process has nothing else to do: delivers queued events for as long as the service accepts some. After a failed attempt it
   * does nothing, unless the process has lived on for `MAX_IDLE_HOLD_MS`.
   */
  const deliverBeforeEnd = async (): Promise<void> => {
    if (isEnded || clock.now() - lastAttemptAt < MAX_IDLE_HOLD_MS) return
    progressAt = lastAttemptAt = clock.now()
    const deadline = (): number => progressAt + MAX_IDLE_HOLD_MS
    const work = drain(deadline).then(() => true)
    for (let remainingMs = MAX_IDLE_HOLD_MS; remainingMs > 0; remainingMs = deadline() - clock.now())
      if (await keepAliveDuring(withTimeout(clock, remainingMs, work))) break
    if (lastAttemptAt > -Infinity) lastAttemptAt = clock.now()
    // An open connection would keep the process alive.
    delivery.abort()
  }

  /** The agent's last work. It is synchronous: the process may end right after it. */
  const close = (): void => {
    if (isEnded) return
    isEnded = true
    delivery.stop()
    for (const json of inFlight.keys()) log.append(json)
    closeLog()
    unsubscribe?.()
    unsubscribe = undefined
  }

  /** Leaves queued events to the next process, or reports them as dropped. */
  const closeLog = (): void => {
    log.writeSync()
    const remainingCount = log.size()
    const lostEvents = log.close()
    if (lostEvents.length) logger.warn(`${lostEvents.length} events are not delivered and are lost with this process`)
    else if (remainingCount)
      logger.warn(`${remainingCount} events are not delivered; they stay on disk for the next start`)
    for (const json of lostEvents) drop(json, 'storage_unavailable')
  }

  const keepAliveDuring = <T>(work: Promise<T>): Promise<T> => keepProcessAlive(ports.process.keepAlive, work)

  const flush = async (): Promise<void> => {
    await Promise.all(inFlight.values())
    await delivery.flush()
  }

  const drain = async (deadline: () => number): Promise<void> => {
    await Promise.all(inFlight.values())
    await delivery.drain(deadline)
  }

  const enqueue = (json: string): void => {
    noteCauses(json)
    log.append(json)
    // Another exit listener has captured this event after `close`.
    if (isEnded) return closeLog()
    subscribe()
    delivery.countEvent()
  }

  return {
    isClosed: () => !!closing,
    accept: enqueue,
    async sendNow(json) {
      if (isEnded) return enqueue(json)
      noteCauses(json)
      const work = keepAliveDuring(delivery.sendNow(json)).then((isDone) => {
        inFlight.delete(json)
        // `close` has put the event into the log.
        if (isEnded) return
        if (isDone) recordProgress()
        else enqueue(json)
      })
      inFlight.set(json, work)
      subscribe()
      return work
    },
    ...keepEqual({ getStatus: () => ({ waitingEvents: log.size() + inFlight.size, ...delivery.status() }) }),
    flush: () => keepAliveDuring(flush()),
    wake: delivery.wake,
    shutdown(timeoutMs) {
      if (closing) return closing
      const endsAt = clock.now() + timeoutMs
      const work = drain(() => endsAt).then(log.whenDurable)
      closing = keepAliveDuring(withTimeout(clock, timeoutMs, work)).then(close)
      return closing
    },
  }
}
