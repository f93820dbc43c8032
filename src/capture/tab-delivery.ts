import type { Channel } from '../port/channel.ts'
import type { Compressor } from '../port/compressor.ts'
import type { EventBatch } from '../port/event-log.ts'
import type { Lock } from '../port/lock.ts'
import { noop } from '../lib/noop.ts'
import type { Send } from '../port/send.ts'
import { MAX_BATCH_LENGTH, MAX_UNLOAD_BYTES } from '../wire/limits.ts'
import { takeBatch } from './batch.ts'
import { deliverQueue, findObstacle } from './deliver-queue.ts'
import { encode } from './encode.ts'
import type { Lz64Encoder } from './encode.ts'
import { createFlushScheduler, DONE } from './flush-scheduler.ts'
import type { FlushScheduler, FlushSchedulerOptions, FlushSchedulerPorts, RunResult } from './flush-scheduler.ts'
import { postEvents } from './post-events.ts'
import type { PostOptions, PostPorts } from './post-events.ts'
import type { ResendDelay } from './resend-delay.ts'
import { createResponseHandler } from './response-handler.ts'
import type { DeliveryStatus, ResponseHandlerOptions, ResponseHandlerPorts } from './response-handler.ts'
import type { SharedQueue } from './shared-queue.ts'

export interface TabDeliveryOptions extends FlushSchedulerOptions, ResponseHandlerOptions, PostOptions {}

/** `canDeliver` is false while opted out, and after the page was left. */
export interface TabDeliveryPorts extends FlushSchedulerPorts, ResponseHandlerPorts, PostPorts {
  readonly queue: Pick<SharedQueue, 'oldest' | 'remove'>
  /** Resolves when all earlier captures and removals are on disk. */
  readonly whenWritten: () => Promise<void>
  readonly resendDelay: ResendDelay
  readonly send: Send
  readonly compressor: Compressor
  readonly lz64?: Lz64Encoder | undefined
  /** Taken for each run, so that one tab delivers at a time. */
  readonly lock: Lock
  readonly supportedCompression: () => readonly string[] | undefined
  /** Tells the other tabs which events were delivered. */
  readonly channel: Pick<Channel, 'post'>
}

/**
 * `wake` is called for events of earlier pages, and when the page is online again, visible again or hidden. `flush` also resolves when only
 * events with a resend delay are left.
 */
export interface TabDelivery extends Pick<FlushScheduler, 'countEvent' | 'wake' | 'flush' | 'schedule' | 'stop'> {
  status(): DeliveryStatus
  /** Releases the lock even while a request is in flight: a page that holds a lock cannot enter the back/forward cache. */
  releaseLock(): void
  /** Keys of the events in a request that can outlive the page, as a beacon does. */
  keysInFlight(): readonly string[]
}

/** A batch with the keys of its events. */
interface KeyedBatch extends EventBatch {
  readonly keys: readonly string[]
  /** No other event can be sent now. */
  readonly isLast: boolean
}

/** Chromium reports a request as failed right before the page is left, although a keepalive request continues. */
const FAILED_IN_FLIGHT_MS = 1_000

/** Delivers the queue that all tabs share: one tab at a time, and all tabs share the back-off. A retryable failure never removes an event. */
export const createTabDelivery = (options: TabDeliveryOptions, ports: TabDeliveryPorts): TabDelivery => {
  const { clock, queue, retryTime, resendDelay, lock, logger } = ports
  const { batchSize, handleResponse, status } = createResponseHandler(options, ports)
  let releaseLock = noop
  let inFlightKeys: readonly string[] = []
  let inFlightUntil = 0
  // Progress of the tab that holds the lock (the oldest event in the queue, and the failure count), and since when it has not changed.
  let lastProgress: string | undefined
  let blockedSince = 0

  const run = async (isForced?: boolean): Promise<RunResult> => {
    const previousProgress = lastProgress
    lastProgress = undefined
    const obstacle = findObstacle(scheduler, retryTime, clock, isForced)
    if (obstacle) return obstacle
    let work: Promise<RunResult> | undefined
    const task = (): Promise<unknown> => {
      work = deliverQueue(scheduler, readOldest, (batch) => scheduler.track(batch.isLast, () => sendBatch(batch)))
      return Promise.race([work, new Promise<void>((resolve) => (releaseLock = resolve))])
    }
    if (!(await lock(task))) {
      logger.debug('busy')
      const [oldest] = await queue.oldest(1)
      const now = clock.now()
      lastProgress = `${oldest?.[0]} ${retryTime.failures()}`
      if (lastProgress !== previousProgress || blockedSince > now) blockedSince = now
      // The tab with the lock had time for two requests and made no progress: it is frozen, so steal the lock.
      if (now - blockedSince >= 2 * options.requestTimeout) await lock(task, true)
    }
    return work ?? { waitMs: options.flushInterval, isBusy: true }
  }

  /** Leaves out the events that wait for their resend delay. */
  const readOldest = async (): Promise<KeyedBatch | undefined> => {
    await ports.whenWritten()
    const delayed = resendDelay.keys(clock.now())
    // One more, which shows whether the batch is the last.
    const oldest = await queue.oldest(batchSize() + delayed.size + 1)
    const sendable = oldest.filter(([key]) => !delayed.has(key))
    const batch = takeBatch(sendable.slice(0, batchSize()), MAX_BATCH_LENGTH)
    if (oldest.length && !batch.length) scheduler.schedule(resendDelay.remainingMs(clock.now()))
    const keys = batch.map(([key]) => key)
    return (
      batch[0] && {
        keys,
        isLast: sendable.length === batch.length,
        events: batch.map(([, value]) => value),
        remove() {
          queue.remove(keys)
          ports.channel.post(keys)
        },
      }
    )
  }

  const sendBatch = async (batch: KeyedBatch): Promise<RunResult | undefined> => {
    const response = await postEvents(
      options,
      ports,
      batch.events,
      (json, isPlain) => encode(json, isPlain ? [] : ports.supportedCompression(), ports.compressor, ports.lz64),
      async (request, bytesAfter) => {
        // If the page was left during the compression, its beacon has sent these events.
        if (!scheduler.canContinue()) return undefined
        // With keepalive the request survives the page, so that the beacon can omit these events.
        const keepalive = bytesAfter <= MAX_UNLOAD_BYTES
        inFlightKeys = keepalive ? batch.keys : []
        inFlightUntil = Infinity
        const response = await ports.send({ ...request, keepalive })
        inFlightUntil = response.status ? 0 : clock.now() + FAILED_IN_FLIGHT_MS
        return response
      },
    )
    return response ? handleResponse(response, batch) : DONE
  }

  const scheduler = createFlushScheduler(options, ports, run)
  return {
    ...scheduler,
    status,
    releaseLock: () => releaseLock(),
    keysInFlight: () => (clock.now() < inFlightUntil ? inFlightKeys : []),
  }
}
