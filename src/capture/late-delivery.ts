import { callAll } from '../port/call-all.ts'
import type { Clock } from '../port/clock.ts'
import type { Lifecycle } from '../port/lifecycle.ts'
import type { Logger } from '../port/logger.ts'
import { noop } from '../port/noop.ts'
import type { WhenAtRest } from '../port/when-at-rest.ts'
import type { CreateDelivery, Delivery } from './delivery.ts'
import type { EventQueue } from './event-queue.ts'
import type { FlushSchedulerOptions } from './flush-scheduler.ts'
import type { DeliveryStatus } from './response-handler.ts'

/** How long a page waits before it tries again to load the part that could not be loaded. Each event that is due tries earlier. */
const RETRY_MS = 30_000

/** Of an agent whose delivery has not started: it knows nothing of what the service has answered. */
const NO_STATUS: DeliveryStatus = { lastDelivery: undefined, lastError: undefined, nextAttempt: undefined }

/** The delivery, which may come later than the events: nobody else needs to know whether it is there. */
export interface LateDelivery extends Omit<Delivery, 'wake' | 'schedule' | 'countEvent'> {
  /**
   * Lets the delivery come: at once, or when the page rests.
   *
   * @param create Starts the delivery of the events that the queue has.
   */
  start(create: (part: CreateDelivery) => Delivery): void
  /** Counts an event that the queue has got. The delivery comes when a request is due, at the latest. */
  countEvent(record: Parameters<Delivery['countEvent']>[0]): void
}

export interface LateDeliveryPorts {
  readonly clock: Clock
  readonly logger: Logger
  readonly lifecycle: Pick<Lifecycle, 'onHidden'>
  readonly loadDelivery: () => CreateDelivery | Promise<CreateDelivery>
  readonly whenAtRest: WhenAtRest
  /** While true, nothing is sent, so the delivery need not come. */
  readonly isOptedOut: () => boolean
}

export const createLateDelivery = (
  { flushAt, flushInterval }: Pick<FlushSchedulerOptions, 'flushAt' | 'flushInterval'>,
  { clock, logger, lifecycle, loadDelivery, whenAtRest, isOptedOut }: LateDeliveryPorts,
  queue: Pick<EventQueue, 'size'>,
): LateDelivery => {
  let create: ((part: CreateDelivery) => Delivery) | undefined
  let delivery: Delivery | undefined
  let loading: Promise<Delivery | undefined> | undefined
  let isStopped = false
  let newEventCount = 0
  /** When the first request is due, in ms since 1970. */
  let dueAt = Infinity
  let isHidden = false
  let cancelTimer = noop
  let stopWaiting = noop

  const attach = (part: CreateDelivery): Delivery | undefined => {
    if (delivery || isStopped || !create) return delivery
    stopWaiting()
    cancelTimer()
    delivery = create(part)
    if (newEventCount >= flushAt || (newEventCount && isHidden)) delivery.wake()
    else if (newEventCount) delivery.schedule(Math.max(0, dueAt - clock.now()))
    return delivery
  }

  const retryAfter = (ms: number): void => {
    cancelTimer()
    cancelTimer = clock.after(ms, () => void load())
  }

  /** Returns the delivery, in this turn if its code is there; undefined when it could not be loaded. */
  const load = (): Delivery | undefined | Promise<Delivery | undefined> => {
    if (delivery || isStopped) return delivery
    if (loading) return loading
    const part = loadDelivery()
    if (typeof part === 'function') return attach(part)
    loading = part.then(attach, (error: unknown) => {
      logger.debug('part_failed', 'delivery', error)
      retryAfter(RETRY_MS)
      return undefined
    })
    void loading.finally(() => (loading = undefined))
    return loading
  }

  return {
    start(createDelivery) {
      create = createDelivery
      stopWaiting = callAll([
        // The page may be killed without another event.
        lifecycle.onHidden(() => {
          isHidden = true
          if (newEventCount) void load()
        }),
        whenAtRest(() => void load()),
      ])
      if (delivery) stopWaiting()
    },
    countEvent(record) {
      if (delivery) return delivery.countEvent(record)
      if (!newEventCount++) {
        dueAt = clock.now() + flushInterval
        retryAfter(flushInterval)
      }
      if (newEventCount === flushAt) clock.defer(() => void load())
    },
    count: () => delivery?.count() ?? queue.size(),
    async flush(isForced) {
      if (delivery || !isOptedOut()) await (await load())?.flush(isForced)
    },
    status: () => delivery?.status() ?? NO_STATUS,
    keysInFlight: () => delivery?.keysInFlight() ?? [],
    post: (message) => delivery?.post(message),
    stop() {
      isStopped = true
      stopWaiting()
      cancelTimer()
      delivery?.stop()
    },
  }
}
