import { callAll } from '../lib/call-all.ts'
import type { Clock } from '../port/clock.ts'
import type { Lifecycle } from '../port/lifecycle.ts'
import type { Logger } from '../port/logger.ts'
import { noop } from '../lib/noop.ts'
import type { WhenAtRest } from '../port/when-at-rest.ts'
import { withTimeout } from '../lib/with-timeout.ts'
import type { CreateDelivery, Delivery } from './delivery.ts'
import type { EventQueue } from './event-queue.ts'
import { OFFLINE_DELAY_MS } from './flush-scheduler.ts'
import type { FlushSchedulerOptions } from './flush-scheduler.ts'
import type { DeliveryStatus } from './response-handler.ts'

/** How long a page waits before it tries again to load what could not be loaded. A flush tries earlier, and so does a page that wakes. */
const RETRY_MS = 30_000

/** Of an agent whose delivery has not started: it knows nothing of what the service has answered. */
const NO_STATUS: DeliveryStatus = { lastDelivery: undefined, lastError: undefined, nextAttempt: undefined }

/** The delivery, which may come later than the events: nobody else needs to know whether it is there. */
export interface LateDelivery extends Omit<Delivery, 'wake' | 'schedule'> {
  /**
   * Lets the delivery come: at once, or when the page rests.
   *
   * @param create Starts the delivery of the events that the queue has.
   * @param handOver Called when the page is hidden before the delivery has come: the page may be killed without another event.
   * @param onFailure Called when the delivery could not be loaded.
   */
  start(create: (part: CreateDelivery) => Delivery, handOver: () => void, onFailure: () => void): void
}

export interface LateDeliveryOptions extends Pick<FlushSchedulerOptions, 'flushAt' | 'flushInterval'> {
  readonly requestTimeout: number
}

export interface LateDeliveryPorts {
  readonly clock: Clock
  readonly logger: Logger
  readonly lifecycle: Pick<Lifecycle, 'isOnline' | 'onHidden' | 'onWake'>
  readonly loadDelivery: () => CreateDelivery | Promise<CreateDelivery>
  readonly whenAtRest: WhenAtRest
  /** While true, nothing is sent, so the delivery does not come. */
  readonly isOptedOut: () => boolean
}

export const createLateDelivery = (
  { flushAt, flushInterval, requestTimeout }: LateDeliveryOptions,
  { clock, logger, lifecycle, loadDelivery, whenAtRest, isOptedOut }: LateDeliveryPorts,
  queue: Pick<EventQueue, 'size'>,
): LateDelivery => {
  let create: ((part: CreateDelivery) => Delivery) | undefined
  let tellFailure = noop
  let delivery: Delivery | undefined
  let loading: Promise<unknown> | undefined
  let isStopped = false
  let isHidden = false
  let hasFailed = false
  let newEventCount = 0
  /** When the first request is due, in ms since 1970. */
  let dueAt = Infinity
  /** What the other tabs have not been told yet: each message is newer than the one before. */
  let unposted: readonly string[] | undefined
  let cancelTimer: (() => void) | undefined
  let stopWaiting = noop

  const endWait = (): void => {
    stopWaiting()
    stopWaiting = noop
  }

  const attach = (part: CreateDelivery): void => {
    if (delivery || isStopped || !create) return
    // First, because the code of another version may throw.
    delivery = create(part)
    endWait()
    cancelTimer?.()
    if (unposted) delivery.post(unposted)
    if (!newEventCount) return
    if (isHidden) delivery.wake()
    else if (!lifecycle.isOnline()) delivery.schedule(OFFLINE_DELAY_MS)
    else if (newEventCount >= flushAt) delivery.schedule(0)
    // The clock may have been set back.
    else delivery.schedule(Math.min(flushInterval, Math.max(0, dueAt - clock.now())))
  }

  const loadAfter = (ms: number): void => {
    cancelTimer?.()
    cancelTimer = clock.after(ms, () => {
      cancelTimer = undefined
      void load()
    })
  }

  const fail = (error: unknown): void => {
    if (isStopped) return
    hasFailed = true
    logger.debug('part_failed', 'delivery', error)
    loadAfter(RETRY_MS)
    tellFailure()
  }

  /** Attaches the delivery: in this turn if its code is there. Never rejects. */
  const load = (): Promise<unknown> | undefined => {
    if (delivery || isStopped || isOptedOut()) return undefined
    if (loading) return loading
    try {
      const part = loadDelivery()
      if (typeof part === 'function') attach(part)
      else {
        // A browser waits without a limit for a server that does not answer.
        const inTime = withTimeout(clock, requestTimeout, part.then(attach)).then(
          () => delivery ?? fail('timeout'),
          fail,
        )
        loading = inTime
        void inTime.then(() => (loading = undefined))
      }
    } catch (error) {
      fail(error)
    }
    return loading
  }

  return {
    start(createDelivery, handOver, onFailure) {
      create = createDelivery
      tellFailure = onFailure
      stopWaiting = callAll([
        lifecycle.onHidden(() => {
          isHidden = true
          if (!newEventCount) return
          void load()
          if (!delivery) handOver()
        }),
        lifecycle.onWake(() => {
          isHidden = false
          if (newEventCount || hasFailed) void load()
        }),
        whenAtRest(() => void load()),
      ])
      if (delivery) endWait()
    },
    countEvent(record) {
      if (delivery) return delivery.countEvent(record)
      dueAt = Math.min(dueAt, clock.now() + flushInterval)
      if (++newEventCount === flushAt) clock.defer(() => void load())
      else if (!cancelTimer) loadAfter(flushInterval)
    },
    count: () => delivery?.count() ?? queue.size(),
    async flush(isForced) {
      await load()
      await delivery?.flush(isForced)
    },
    status: () => delivery?.status() ?? NO_STATUS,
    keysInFlight: () => delivery?.keysInFlight() ?? [],
    post(message) {
      if (delivery) delivery.post(message)
      else unposted = message
    },
    stop() {
      if (isStopped) return
      isStopped = true
      endWait()
      cancelTimer?.()
      delivery?.stop()
    },
  }
}
