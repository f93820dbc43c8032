import type { Compressor } from '../port/compressor.ts'
import type { StoreRecord } from '../port/event-store.ts'
import type { Lock } from '../port/lock.ts'
import { noop } from '../port/noop.ts'
import type { Send } from '../port/send.ts'
import { MAX_BATCH_LENGTH, MAX_UNLOAD_BYTES } from '../wire/limits.ts'
import { createBatchBody, takeBatch } from './batch.ts'
import type { DropReason } from './drop-reason.ts'
import { encode } from './encode.ts'
import type { Encoding } from './encoded-body.ts'
import type { EventQueue } from './event-queue.ts'
import { createFlushScheduler, DONE } from './flush-scheduler.ts'
import type { FlushScheduler, FlushSchedulerOptions, FlushSchedulerPorts, RunResult } from './flush-scheduler.ts'
import type { ResendDelay } from './resend-delay.ts'
import { createResponseHandler } from './response-handler.ts'
import type { ResponseHandlerOptions, ResponseHandlerPorts } from './response-handler.ts'

export interface DeliveryOptions extends FlushSchedulerOptions, ResponseHandlerOptions {
  readonly url: string
  readonly apiKey: string
  readonly requestTimeout: number
  readonly disableCompression: boolean
  readonly historicalMigration: boolean
}

/** One request that was sent, as `onSend` gets it. */
export interface SendReport {
  readonly url: string
  readonly encoding: Encoding
  /** Number of events in the request. */
  readonly events: number
  /** Characters of JSON before compression. */
  readonly bytesBefore: number
  /** Bytes of the body that was sent. */
  readonly bytesAfter: number
  /** HTTP status; 0 without a response. Undefined for a beacon, because a page cannot read its response. */
  readonly status: number | undefined
}

/** `canDeliver` is false while opted out, while the platform is sure to be offline, and after the page was left. */
export interface DeliveryPorts extends FlushSchedulerPorts, ResponseHandlerPorts {
  readonly queue: EventQueue
  /** Resolves when all earlier captures and removals are on disk. */
  readonly whenWritten: () => Promise<void>
  readonly resendDelay: ResendDelay
  readonly send: Send
  readonly compressor: Compressor
  /** Taken for each run, so that one tab delivers at a time. */
  readonly lock: Lock
  readonly supportedCompression: () => readonly string[] | undefined
  readonly onAcknowledged: (keys: readonly string[]) => void
  readonly onDrop: (json: string, reason: DropReason) => void
  readonly onSend: (report: SendReport) => void
}

/**
 * `wake` is called at start, and when the page is online again, visible again or hidden. `flush` also resolves when only events with a
 * resend delay are left.
 */
export interface Delivery extends Pick<FlushScheduler, 'countEvent' | 'wake' | 'flush' | 'stop'> {
  /** Releases the lock even while a request is in flight: a page that holds a lock cannot enter the back/forward cache. */
  releaseLock(): void
  /** Keys of the events in a request that can outlive the page, as a beacon does. */
  keysInFlight(): readonly string[]
}

/** Chromium reports a request as failed right before the page is left, although a keepalive request continues. */
const FAILED_IN_FLIGHT_MS = 1_000

/**
 * Delivers the queue to the service, oldest events first, one request at a time and one tab at a time. A retryable failure never removes an
 * event. All tabs share the back-off.
 */
export const createDelivery = (options: DeliveryOptions, ports: DeliveryPorts): Delivery => {
  const { clock, queue, retryTime, resendDelay, lock } = ports
  const scheduler = createFlushScheduler(options, ports, (isForced) => run(isForced))
  const { batchSize, handleResponse } = createResponseHandler(options, ports)
  let releaseLock = noop
  let inFlightKeys: readonly string[] = []
  let inFlightUntil = 0
  // Progress of the tab that holds the lock (the oldest event in the queue, and the failure count), and since when it has not changed.
  let lastBlock: { readonly progress: string; readonly sinceMs: number } | undefined

  const run = async (isForced?: boolean): Promise<RunResult> => {
    const previousBlock = lastBlock
    lastBlock = undefined
    if (!scheduler.canContinue()) return DONE
    const waitMs = retryTime.remainingMs(clock.now(), isForced)
    if (waitMs) return { waitMs }
    let work: Promise<RunResult> | undefined
    const task = (): Promise<unknown> => {
      work = drain()
      return Promise.race([work, new Promise<void>((resolve) => (releaseLock = resolve))])
    }
    if (!(await lock(task))) {
      const [oldest] = await queue.oldest(1)
      const now = clock.now()
      const progress = `${oldest?.key} ${retryTime.failures()}`
      const isSameBlock = previousBlock?.progress === progress && previousBlock.sinceMs <= now
      lastBlock = isSameBlock ? previousBlock : { progress, sinceMs: now }
      // The tab with the lock had time for two requests and made no progress: it is frozen, so steal the lock.
      if (now - lastBlock.sinceMs >= 2 * options.requestTimeout) await lock(task, true)
    }
    return work ?? { waitMs: options.flushInterval, isBusy: true }
  }

  const drain = async (): Promise<RunResult> => {
    for (;;) {
      // Resets the count, so that the call below sees only events that were captured after this line.
      scheduler.hasNewEvents()
      await ports.whenWritten()
      if (!scheduler.canContinue()) return DONE
      const delayed = resendDelay.keys(clock.now())
      const oldest = await queue.oldest(batchSize() + delayed.size)
      const sendable = oldest.filter(({ key }) => !delayed.has(key)).slice(0, batchSize())
      const batch = takeBatch(sendable, MAX_BATCH_LENGTH)
      if (batch.length) {
        const result = await sendBatch(batch)
        if (result) return result
      } else if (!scheduler.hasNewEvents()) {
        if (oldest.length) scheduler.schedule(resendDelay.remainingMs(clock.now()))
        return DONE
      }
    }
  }

  /** Sends one batch and handles the response. Undefined: continue with the next batch. */
  const sendBatch = async (batch: readonly StoreRecord[]): Promise<RunResult | undefined> => {
    const { url, apiKey } = options
    const keys = batch.map(({ key }) => key)
    const events = batch.map((record) => record.value)
    const json = createBatchBody(apiKey, events, clock.now(), options.historicalMigration)
    const { body, contentType, ...sizes } = await encode(
      json,
      ports.supportedCompression(),
      options.disableCompression,
      ports.compressor,
    )
    // If the page was left during the compression, its beacon has sent these events.
    if (!scheduler.canContinue()) return DONE
    // With keepalive the request survives the page, so that the beacon can omit these events.
    const keepalive = sizes.bytesAfter <= MAX_UNLOAD_BYTES
    inFlightKeys = keepalive ? keys : []
    inFlightUntil = Infinity
    const response = await ports.send({ url, body, contentType, timeoutMs: options.requestTimeout, keepalive })
    const { status } = response
    inFlightUntil = status ? 0 : clock.now() + FAILED_IN_FLIGHT_MS
    ports.onSend({ url, events: keys.length, status, ...sizes })

    return handleResponse(response, keys.length, (result) => {
      queue.remove(keys)
      ports.onAcknowledged(keys)
      if (result !== 'accepted') for (const json of events) ports.onDrop(json, result)
    })
  }

  return {
    ...scheduler,
    releaseLock: () => releaseLock(),
    keysInFlight: () => (clock.now() < inFlightUntil ? inFlightKeys : []),
  }
}
